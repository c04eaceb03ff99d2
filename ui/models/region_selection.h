// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <QList>
#include <QPoint>
#include <QRect>

#include <cstdint>

namespace bifocal::ui {

/// The rectangle that somebody chooses on the desktop: dragged, snapped to a window, or moved by
/// its edges. Everything is in device pixels of the desktop. Threads: gui.
class RegionSelection {
public:
    enum class State : std::uint8_t {
        Hovering = 1,  ///< nothing chosen; region() is the window under the pointer, if any
        Dragging,      ///< the button is down
        Adjusting,     ///< a rectangle is there and may be changed
    };

    /// `windows`: what a click may choose, topmost first.
    RegionSelection(const QRect& desktop, QList<QRect> windows);

    State state() const { return state_; }
    const QRect& region() const { return region_; }
    QPoint pointer() const { return pointer_; }
    /// While dragging: a region was there before the button went down.
    bool isChanging() const { return state_ == State::Dragging && !pressedRegion_.isNull(); }

    void moveTo(const QPoint& pointer);
    /// `reach`: how near to an edge the pointer takes it.
    void press(const QPoint& pointer, int reach);
    /// Whether there is a region now. A press and release at one place takes the window there; one
    /// that is smaller than kSmallestSide otherwise is no region.
    bool release(const QPoint& pointer);

    /// Lets `region`, cut to the desktop, be changed; an empty one is passed by.
    void adjust(const QRect& region);
    /// Moves the region, or its right and lower edges alone; while nothing is chosen, nothing.
    void shift(const QPoint& by);
    void grow(const QPoint& by);

    /// The edges that a press here would move: all of them inside, none outside.
    Qt::Edges edgesAt(const QPoint& pointer, int reach) const;

    static constexpr int kSmallestSide = 8;

private:
    void drag();
    QRect windowUnderPointer() const;

    QRect desktop_;
    QList<QRect> windows_;
    State state_ = State::Hovering;
    QRect region_;
    QPoint pointer_;
    QPoint pressed_;
    QRect pressedRegion_;  // null when there was none to change
    Qt::Edges moved_;      // while dragging: of pressedRegion_; none draws a new one
};

}  // namespace bifocal::ui
