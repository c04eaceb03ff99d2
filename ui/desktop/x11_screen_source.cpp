// SPDX-License-Identifier: Apache-2.0
#include "ui/desktop/x11_screen_source.h"

#include "ui/desktop/x11_connection.h"

#include <QGuiApplication>
#include <QPixmap>
#include <QScreen>

#include <vector>

#include <xcb/xcb.h>

namespace bifocal::ui {

namespace {

constexpr int kSmallestWindow = 24;  // smaller ones are helpers of their programs

/// The shadow that a program draws around its own window is part of the window, and not of what a
/// person sees as one.
QMargins shadowOf(xcb_connection_t* connection, xcb_window_t window, xcb_atom_t extents) {
    const X11Reply<xcb_get_property_reply_t> reply(xcb_get_property_reply(
        connection,
        xcb_get_property(connection, 0, window, extents, XCB_ATOM_CARDINAL, 0, 4),
        nullptr));
    if (!reply || reply->format != 32 || xcb_get_property_value_length(reply.get()) != 16) {
        return {};
    }
    const auto* side = static_cast<const std::uint32_t*>(xcb_get_property_value(reply.get()));
    return {static_cast<int>(side[0]),
            static_cast<int>(side[2]),
            static_cast<int>(side[1]),
            static_cast<int>(side[3])};
}

}  // namespace

void X11ScreenSource::grab() {
    QList<ScreenImage> screens;
    for (QScreen* screen : QGuiApplication::screens()) {
        ScreenImage shown;
        shown.image = screen->grabWindow(0).toImage();
        shown.image.setDevicePixelRatio(1);
        shown.geometry = screen->geometry();
        shown.scale = screen->devicePixelRatio();
        // Qt scales the size of a screen and leaves its corner where the X server has it.
        shown.pixels = QRect(screen->geometry().topLeft(), shown.image.size());
        if (shown.image.isNull()) {
            Q_EMIT failed(CaptureFault::Unavailable);
            return;
        }
        screens.append(shown);
    }
    Q_EMIT grabbed(screens);
}

QList<QRect> X11ScreenSource::windows() const {
    xcb_connection_t* const connection = x11Connection();
    if (connection == nullptr) {
        return {};
    }
    const xcb_atom_t extents = x11Atom(connection, "_GTK_FRAME_EXTENTS");
    const X11Reply<xcb_query_tree_reply_t> tree(
        xcb_query_tree_reply(connection, xcb_query_tree(connection, x11Root(connection)), nullptr));
    if (!tree) {
        return {};
    }
    const xcb_window_t* const children = xcb_query_tree_children(tree.get());
    struct Question {
        xcb_window_t window;
        xcb_get_window_attributes_cookie_t attributes;
        xcb_get_geometry_cookie_t geometry;
    };
    std::vector<Question> questions;
    for (int i = xcb_query_tree_children_length(tree.get()); i-- > 0;) {  // topmost first
        const xcb_window_t window = children[i];
        questions.push_back({window,
                             xcb_get_window_attributes(connection, window),
                             xcb_get_geometry(connection, window)});
    }
    QList<QRect> windows;
    for (const Question& question : questions) {
        const X11Reply<xcb_get_window_attributes_reply_t> attributes(
            xcb_get_window_attributes_reply(connection, question.attributes, nullptr));
        const X11Reply<xcb_get_geometry_reply_t> geometry(
            xcb_get_geometry_reply(connection, question.geometry, nullptr));
        if (!attributes || !geometry || attributes->map_state != XCB_MAP_STATE_VIEWABLE ||
            attributes->_class != XCB_WINDOW_CLASS_INPUT_OUTPUT) {
            continue;
        }
        const int border = 2 * geometry->border_width;
        const QRect all(
            geometry->x, geometry->y, geometry->width + border, geometry->height + border);
        const QRect seen = all.marginsRemoved(shadowOf(connection, question.window, extents));
        if (seen.width() >= kSmallestWindow && seen.height() >= kSmallestWindow) {
            windows.append(seen);
        }
    }
    return windows;
}

}  // namespace bifocal::ui
