// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <cstdlib>
#include <memory>

struct xcb_connection_t;

namespace bifocal::ui {

struct X11ReplyDeleter {
    void operator()(void* reply) const { std::free(reply); }
};
/// What the X server answered; null after an error.
template <typename T>
using X11Reply = std::unique_ptr<T, X11ReplyDeleter>;

/// Qt's own connection to the X server; null on other platforms. Threads: gui.
xcb_connection_t* x11Connection();
/// Of the connection's first screen, which is the one that Qt shows windows on.
std::uint32_t x11Root(xcb_connection_t* connection);
/// 0 when no program has ever named it.
std::uint32_t x11Atom(xcb_connection_t* connection, const char* name);

}  // namespace bifocal::ui
