// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <QAbstractItemDelegate>

namespace bifocal::ui {

class Theme;

/// One folder of the side bar: name and count, and while it is being scanned a thin bar, figures
/// and a pause mark that can be clicked. Owns no state. Threads: gui.
class CollectionDelegate final : public QAbstractItemDelegate {
    Q_OBJECT

public:
    CollectionDelegate(const Theme& theme, QObject* parent);

    void paint(QPainter* painter,
               const QStyleOptionViewItem& option,
               const QModelIndex& index) const override;
    QSize sizeHint(const QStyleOptionViewItem& option, const QModelIndex& index) const override;
    bool editorEvent(QEvent* event,
                     QAbstractItemModel* model,
                     const QStyleOptionViewItem& option,
                     const QModelIndex& index) override;

    /// Where the pause mark of a row is.
    static QRect pauseRect(const QRect& row);

Q_SIGNALS:
    void pauseToggled(const QModelIndex& index);

private:
    const Theme& theme_;
};

}  // namespace bifocal::ui
