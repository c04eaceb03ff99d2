// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <QListView>

namespace bifocal::ui {

class ResultModel;
class Theme;
class ThumbnailFade;

/// The pictures of an answer in a grid whose cards fill its width; lays out and paints only what is
/// on the screen; a picture that arrives while its card is in sight fades in, unless the style's
/// animations are off. Enter and double click open (activated). Threads: gui.
class ResultGrid final : public QListView {
    Q_OBJECT

public:
    ResultGrid(ResultModel& model, const Theme& theme, QWidget* parent);

    int columnCount() const { return columns_; }
    bool isFading() const;

Q_SIGNALS:
    void visibleRowsChanged(int first, int last);
    void chosen(const QModelIndex& index);
    /// Every picture in sight is fully there.
    void fadeEnded();

protected:
    void resizeEvent(QResizeEvent* event) override;
    void scrollContentsBy(int dx, int dy) override;
    void mouseMoveEvent(QMouseEvent* event) override;
    void leaveEvent(QEvent* event) override;
    void currentChanged(const QModelIndex& current, const QModelIndex& previous) override;

private:
    void fitColumns();
    void announceVisible();
    void fadeIn(const QModelIndex& first, const QModelIndex& last, const QList<int>& roles);

    ResultModel& results_;
    ThumbnailFade* fade_;
    int columns_ = 1;
};

}  // namespace bifocal::ui
