// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <QAbstractItemDelegate>

namespace bifocal::ui {

class Theme;
class ThumbnailFade;

/// Paints one picture of the grid as a card: thumbnail, confidence shape, name, why-matched bar.
/// Owns no state. Threads: gui.
class ResultDelegate final : public QAbstractItemDelegate {
    Q_OBJECT

public:
    /// `fade`, when given, must outlive it.
    ResultDelegate(const Theme& theme, QObject* parent, const ThumbnailFade* fade = nullptr);

    void paint(QPainter* painter,
               const QStyleOptionViewItem& option,
               const QModelIndex& index) const override;
    /// The cell of the view's grid.
    QSize sizeHint(const QStyleOptionViewItem& option, const QModelIndex& index) const override;

    /// Height of a cell whose card has this width.
    static int cellHeight(int cellWidth);
    static constexpr int kGap = 12;

private:
    void paintThumbnail(QPainter& painter, const QRectF& box, const QModelIndex& index) const;
    void paintFooter(QPainter& painter, const QRectF& box, const QModelIndex& index) const;

    const Theme& theme_;
    const ThumbnailFade* fade_;
};

}  // namespace bifocal::ui
