// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <QListView>

namespace bifocal::ui {

class ResultModel;
class Theme;

/// The pictures of an answer in a grid whose cards fill its width; lays out and paints only what is
/// on the screen. Enter and double click open (activated). Threads: gui.
class ResultGrid final : public QListView {
    Q_OBJECT

public:
    ResultGrid(ResultModel& model, const Theme& theme, QWidget* parent);

    int columnCount() const { return columns_; }

Q_SIGNALS:
    void visibleRowsChanged(int first, int last);
    void chosen(const QModelIndex& index);

protected:
    void resizeEvent(QResizeEvent* event) override;
    void scrollContentsBy(int dx, int dy) override;
    void mouseMoveEvent(QMouseEvent* event) override;
    void leaveEvent(QEvent* event) override;
    void currentChanged(const QModelIndex& current, const QModelIndex& previous) override;

private:
    void fitColumns();
    void announceVisible();

    ResultModel& results_;
    int columns_ = 1;
};

}  // namespace bifocal::ui
