// SPDX-License-Identifier: Apache-2.0
#include "ui/models/region_selection.h"

#include <algorithm>
#include <cstdlib>
#include <utility>

namespace bifocal::ui {

namespace {

constexpr Qt::Edges kAllEdges = Qt::LeftEdge | Qt::RightEdge | Qt::TopEdge | Qt::BottomEdge;

/// Of one axis: the side that a press at `at` takes.
Qt::Edges sideAt(int at, int first, int last, int reach, Qt::Edge firstEdge, Qt::Edge lastEdge) {
    const int toFirst = std::abs(at - first);
    const int toLast = std::abs(at - last);
    if (std::min(toFirst, toLast) > reach) {
        return {};
    }
    return toFirst < toLast ? firstEdge : lastEdge;
}

/// Both pixels belong to it, whichever is on the left or above.
QRect spanning(const QPoint& one, const QPoint& other) {
    return {QPoint(std::min(one.x(), other.x()), std::min(one.y(), other.y())),
            QPoint(std::max(one.x(), other.x()), std::max(one.y(), other.y()))};
}

}  // namespace

RegionSelection::RegionSelection(const QRect& desktop, QList<QRect> windows)
    : desktop_(desktop), windows_(std::move(windows)) {}

void RegionSelection::moveTo(const QPoint& pointer) {
    pointer_ = QPoint(std::clamp(pointer.x(), desktop_.left(), desktop_.right()),
                      std::clamp(pointer.y(), desktop_.top(), desktop_.bottom()));
    switch (state_) {
        case State::Hovering: region_ = windowUnderPointer(); break;
        case State::Dragging: drag(); break;
        case State::Adjusting: break;
    }
}

void RegionSelection::press(const QPoint& pointer, int reach) {
    moveTo(pointer);
    const bool isThere = state_ == State::Adjusting;
    moved_ = isThere ? edgesAt(pointer_, reach) : Qt::Edges();
    pressed_ = pointer_;
    pressedRegion_ = isThere ? region_ : QRect();
    state_ = State::Dragging;
    drag();
}

bool RegionSelection::release(const QPoint& pointer) {
    if (state_ != State::Dragging) {
        return false;
    }
    moveTo(pointer);
    const bool isClick = pointer_ == pressed_ && !moved_;
    if (isClick) {
        region_ = windowUnderPointer();
    }
    const bool isRegion = region_.width() >= kSmallestSide && region_.height() >= kSmallestSide;
    state_ = isRegion ? State::Adjusting : State::Hovering;
    if (!isRegion) {
        region_ = windowUnderPointer();
    }
    return isRegion;
}

void RegionSelection::drag() {
    if (!moved_) {
        region_ = spanning(pressed_, pointer_);
        return;
    }
    QPoint by = pointer_ - pressed_;
    if (moved_ == kAllEdges) {
        by = QPoint(std::clamp(by.x(),
                               desktop_.left() - pressedRegion_.left(),
                               desktop_.right() - pressedRegion_.right()),
                    std::clamp(by.y(),
                               desktop_.top() - pressedRegion_.top(),
                               desktop_.bottom() - pressedRegion_.bottom()));
    }
    const QRect& was = pressedRegion_;
    region_ = spanning(QPoint(was.left() + (moved_ & Qt::LeftEdge ? by.x() : 0),
                              was.top() + (moved_ & Qt::TopEdge ? by.y() : 0)),
                       QPoint(was.right() + (moved_ & Qt::RightEdge ? by.x() : 0),
                              was.bottom() + (moved_ & Qt::BottomEdge ? by.y() : 0))) &
              desktop_;
}

void RegionSelection::adjust(const QRect& region) {
    const QRect seen = region & desktop_;
    if (!seen.isEmpty()) {
        region_ = seen;
        state_ = State::Adjusting;
    }
}

void RegionSelection::shift(const QPoint& by) {
    if (state_ == State::Adjusting) {
        const QRect moved = region_.translated(by);
        region_ = desktop_.contains(moved) ? moved : region_;
    }
}

void RegionSelection::grow(const QPoint& by) {
    if (state_ == State::Adjusting) {
        QRect grown(region_.topLeft(), region_.size() + QSize(by.x(), by.y()));
        grown.setSize(grown.size().expandedTo(QSize(kSmallestSide, kSmallestSide)));
        region_ = grown & desktop_;
    }
}

Qt::Edges RegionSelection::edgesAt(const QPoint& pointer, int reach) const {
    if (!region_.adjusted(-reach, -reach, reach, reach).contains(pointer)) {
        return {};
    }
    const Qt::Edges edges =
        sideAt(pointer.x(), region_.left(), region_.right(), reach, Qt::LeftEdge, Qt::RightEdge) |
        sideAt(pointer.y(), region_.top(), region_.bottom(), reach, Qt::TopEdge, Qt::BottomEdge);
    return edges ? edges : kAllEdges;
}

QRect RegionSelection::windowUnderPointer() const {
    const auto found = std::find_if(windows_.begin(), windows_.end(), [this](const QRect& window) {
        return window.contains(pointer_);
    });
    return found == windows_.end() ? QRect() : *found & desktop_;
}

}  // namespace bifocal::ui
