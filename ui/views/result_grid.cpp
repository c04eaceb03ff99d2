// SPDX-License-Identifier: Apache-2.0
#include "ui/views/result_grid.h"

#include "ui/models/result_model.h"
#include "ui/models/roles.h"
#include "ui/views/make_child.h"
#include "ui/views/result_delegate.h"
#include "ui/views/theme.h"
#include "ui/views/thumbnail_fade.h"

#include <QMouseEvent>
#include <QScrollBar>
#include <QStyle>

#include <algorithm>

namespace bifocal::ui {

namespace {

constexpr int kWantedCellWidth = 172;
constexpr int kFewestColumns = 2;

}  // namespace

ResultGrid::ResultGrid(ResultModel& model, const Theme& theme, QWidget* parent)
    : QListView(parent), results_(model), fade_(makeChild<ThumbnailFade>(this)) {
    setAccessibleName(tr("results"));
    setFlow(QListView::LeftToRight);
    setWrapping(true);
    setResizeMode(QListView::Adjust);
    setUniformItemSizes(true);
    setVerticalScrollMode(QAbstractItemView::ScrollPerPixel);
    setVerticalScrollBarPolicy(Qt::ScrollBarAlwaysOn);
    setHorizontalScrollBarPolicy(Qt::ScrollBarAlwaysOff);
    setSelectionMode(QAbstractItemView::SingleSelection);
    setMouseTracking(true);
    setItemDelegate(new ResultDelegate(theme, this, fade_));
    setModel(&model);
    verticalScrollBar()->setSingleStep(40);
    connect(&theme, &Theme::changed, viewport(), [this] { viewport()->update(); });
    connect(&model, &QAbstractItemModel::dataChanged, this, &ResultGrid::fadeIn);
    connect(
        fade_, &ThumbnailFade::advanced, this, [this](const QModelIndex& index) { update(index); });
    connect(fade_, &ThumbnailFade::ended, this, &ResultGrid::fadeEnded);
    // Rows that came or went change what is on the screen; told once the layout is done.
    connect(&model,
            &QAbstractItemModel::modelReset,
            this,
            &ResultGrid::announceVisible,
            Qt::QueuedConnection);
    connect(&model,
            &QAbstractItemModel::rowsInserted,
            this,
            &ResultGrid::announceVisible,
            Qt::QueuedConnection);
    connect(&model,
            &QAbstractItemModel::rowsRemoved,
            this,
            &ResultGrid::announceVisible,
            Qt::QueuedConnection);
    connect(&model,
            &QAbstractItemModel::rowsMoved,
            this,
            &ResultGrid::announceVisible,
            Qt::QueuedConnection);
}

void ResultGrid::resizeEvent(QResizeEvent* event) {
    fitColumns();
    QListView::resizeEvent(event);
    announceVisible();
}

void ResultGrid::fitColumns() {
    const int width = viewport()->width() - 1;  // the last pixel belongs to no segment
    columns_ = std::max(kFewestColumns, width / kWantedCellWidth);
    const int cell = std::max(64, width / columns_);
    setGridSize(QSize(cell, ResultDelegate::cellHeight(cell)));
}

void ResultGrid::announceVisible() {
    const int cellHeight = std::max(1, gridSize().height());
    const int top = verticalScrollBar()->value();
    const int first = top / cellHeight * columns_;
    const int last = ((top + viewport()->height()) / cellHeight + 1) * columns_ - 1;
    Q_EMIT visibleRowsChanged(first, last);
}

bool ResultGrid::isFading() const {
    return fade_->isRunning();
}

void ResultGrid::fadeIn(const QModelIndex& first,
                        const QModelIndex& last,
                        const QList<int>& roles) {
    const bool isThumbnail = roles.size() == 1 && roles.first() == ThumbnailRole;
    if (!isThumbnail || !isVisible() ||
        style()->styleHint(QStyle::SH_Widget_Animation_Duration, nullptr, this) <= 0) {
        return;
    }
    for (int row = first.row(); row <= last.row(); ++row) {
        const QModelIndex index = results_.index(row);
        if (visualRect(index).intersects(viewport()->rect())) {
            fade_->begin(index);
        }
    }
}

void ResultGrid::scrollContentsBy(int dx, int dy) {
    QListView::scrollContentsBy(dx, dy);
    announceVisible();
}

void ResultGrid::mouseMoveEvent(QMouseEvent* event) {
    const QModelIndex under = indexAt(event->position().toPoint());
    results_.setPinnedRow(under.isValid() ? under.row() : -1);
    QListView::mouseMoveEvent(event);
}

void ResultGrid::leaveEvent(QEvent* event) {
    results_.setPinnedRow(-1);
    QListView::leaveEvent(event);
}

void ResultGrid::currentChanged(const QModelIndex& current, const QModelIndex& previous) {
    QListView::currentChanged(current, previous);
    Q_EMIT chosen(current);
}

}  // namespace bifocal::ui
