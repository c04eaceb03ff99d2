// SPDX-License-Identifier: Apache-2.0
#include "ui/desktop/x11_keys.h"

#include "ui/desktop/x11_connection.h"

#include <QCoreApplication>

#include <algorithm>
#include <array>
#include <optional>
#include <utility>

#include <xcb/xcb.h>
#include <xcb/xcb_keysyms.h>

namespace bifocal::ui {

namespace {

// Alt, Super and Num Lock are where every usual keyboard map has them.
constexpr std::uint16_t kAlt = XCB_MOD_MASK_1;
constexpr std::uint16_t kSuper = XCB_MOD_MASK_4;
constexpr std::uint16_t kNumLock = XCB_MOD_MASK_2;
constexpr std::uint16_t kCapsLock = XCB_MOD_MASK_LOCK;
constexpr std::uint16_t kChord = XCB_MOD_MASK_SHIFT | XCB_MOD_MASK_CONTROL | kAlt | kSuper;
constexpr std::array<std::uint16_t, 4> kLocks{0, kNumLock, kCapsLock, kNumLock | kCapsLock};

std::uint16_t modifiersOf(Qt::KeyboardModifiers modifiers) {
    unsigned mask = 0;
    for (const auto& [modifier, bit] :
         {std::pair(Qt::ShiftModifier, unsigned{XCB_MOD_MASK_SHIFT}),
          std::pair(Qt::ControlModifier, unsigned{XCB_MOD_MASK_CONTROL}),
          std::pair(Qt::AltModifier, unsigned{kAlt}),
          std::pair(Qt::MetaModifier, unsigned{kSuper})}) {
        mask |= modifiers.testFlag(modifier) ? bit : 0U;
    }
    return static_cast<std::uint16_t>(mask);
}

/// The X key symbol of Qt's key: those of ASCII are their characters, the function keys a row.
std::optional<xcb_keysym_t> symbolOf(Qt::Key key) {
    if (key >= Qt::Key_A && key <= Qt::Key_Z) {
        return static_cast<xcb_keysym_t>(key - Qt::Key_A + 'a');
    }
    if (key >= Qt::Key_Space && key <= Qt::Key_AsciiTilde) {
        return static_cast<xcb_keysym_t>(key);
    }
    if (key >= Qt::Key_F1 && key <= Qt::Key_F35) {
        constexpr xcb_keysym_t kFirstFunctionKey = 0xffbe;
        return kFirstFunctionKey + static_cast<xcb_keysym_t>(key - Qt::Key_F1);
    }
    constexpr std::array<std::pair<Qt::Key, xcb_keysym_t>, 11> kOthers{{
        {Qt::Key_Print, 0xff61},
        {Qt::Key_Pause, 0xff13},
        {Qt::Key_Insert, 0xff63},
        {Qt::Key_Delete, 0xffff},
        {Qt::Key_Home, 0xff50},
        {Qt::Key_End, 0xff57},
        {Qt::Key_PageUp, 0xff55},
        {Qt::Key_PageDown, 0xff56},
        {Qt::Key_Tab, 0xff09},
        {Qt::Key_Return, 0xff0d},
        {Qt::Key_Menu, 0xff67},
    }};
    for (const auto& [known, symbol] : kOthers) {
        if (known == key) {
            return symbol;
        }
    }
    return std::nullopt;
}

std::optional<xcb_keycode_t> keycodeOf(xcb_connection_t* connection, Qt::Key key) {
    const auto symbol = symbolOf(key);
    xcb_key_symbols_t* const map = symbol ? xcb_key_symbols_alloc(connection) : nullptr;
    if (map == nullptr) {
        return std::nullopt;
    }
    const X11Reply<xcb_keycode_t> codes(xcb_key_symbols_get_keycode(map, *symbol));
    xcb_key_symbols_free(map);
    if (!codes || *codes == XCB_NO_SYMBOL) {
        return std::nullopt;
    }
    return *codes;
}

/// A key that repeats is released and pressed again in events, and stays down in this table.
bool isDown(xcb_keycode_t key) {
    xcb_connection_t* const connection = x11Connection();
    const X11Reply<xcb_query_keymap_reply_t> table(
        xcb_query_keymap_reply(connection, xcb_query_keymap(connection), nullptr));
    return table && (table->keys[key / 8] & (1U << (key % 8))) != 0;
}

}  // namespace

X11Keys::X11Keys(QObject* parent) : GlobalKeys(parent) {
    QCoreApplication::instance()->installNativeEventFilter(this);
}

X11Keys::~X11Keys() {
    ungrabAll();
}

void X11Keys::bind(const QList<GlobalKey>& keys) {
    ungrabAll();
    xcb_connection_t* const connection = x11Connection();
    for (const GlobalKey& key : keys) {
        if (key.keys.isEmpty()) {
            continue;
        }
        const QKeyCombination chord = key.keys[0];
        const auto keycode =
            connection == nullptr ? std::nullopt : keycodeOf(connection, chord.key());
        if (!keycode) {
            Q_EMIT failed(key.id,
                          connection == nullptr ? KeyFault::Unavailable : KeyFault::Unknown);
            continue;
        }
        const Grab wanted{key.id, *keycode, modifiersOf(chord.keyboardModifiers())};
        if (!grab(wanted)) {
            Q_EMIT failed(key.id, KeyFault::Taken);
            continue;
        }
        grabs_.push_back(wanted);
        Q_EMIT bound(key.id, key.keys.toString(QKeySequence::NativeText));
    }
}

bool X11Keys::grab(const Grab& grab) {
    xcb_connection_t* const connection = x11Connection();
    std::array<xcb_void_cookie_t, kLocks.size()> cookies;
    std::transform(kLocks.begin(), kLocks.end(), cookies.begin(), [&](std::uint16_t locks) {
        return xcb_grab_key_checked(
            connection,
            1,
            x11Root(connection),
            static_cast<std::uint16_t>(static_cast<std::uint16_t>(grab.modifiers | locks)),
            grab.keycode,
            XCB_GRAB_MODE_ASYNC,
            XCB_GRAB_MODE_ASYNC);
    });
    bool isOurs = true;
    for (const xcb_void_cookie_t cookie : cookies) {
        isOurs &= X11Reply<xcb_generic_error_t>(xcb_request_check(connection, cookie)) == nullptr;
    }
    if (!isOurs) {
        ungrab(grab);
    }
    return isOurs;
}

void X11Keys::ungrab(const Grab& grab) {
    xcb_connection_t* const connection = x11Connection();
    for (const std::uint16_t locks : kLocks) {
        xcb_ungrab_key(connection,
                       grab.keycode,
                       x11Root(connection),
                       static_cast<std::uint16_t>(grab.modifiers | locks));
    }
    xcb_flush(connection);
}

void X11Keys::ungrabAll() {
    for (const Grab& grab : std::exchange(grabs_, {})) {
        ungrab(grab);
        if (grab.isHeld) {
            Q_EMIT released(grab.id);
        }
    }
}

bool X11Keys::nativeEventFilter(const QByteArray& type, void* message, qintptr* /*result*/) {
    if (type != "xcb_generic_event_t") {
        return false;
    }
    constexpr std::uint8_t kSentByPrograms = 0x80;
    const auto* event = static_cast<const xcb_generic_event_t*>(message);
    const int kind = event->response_type & ~kSentByPrograms;
    if (kind != XCB_KEY_PRESS && kind != XCB_KEY_RELEASE) {
        return false;
    }
    const auto* key = static_cast<const xcb_key_press_event_t*>(message);
    for (Grab& grab : grabs_) {
        if (grab.keycode != key->detail) {
            continue;
        }
        if (kind == XCB_KEY_PRESS && (key->state & kChord) == grab.modifiers) {
            if (!grab.isHeld) {
                grab.isHeld = true;
                Q_EMIT pressed(QString(grab.id));
            }
            return true;
        }
        // A release counts with whatever modifiers are still held.
        if (kind == XCB_KEY_RELEASE && grab.isHeld) {
            if (!isDown(grab.keycode)) {
                grab.isHeld = false;
                Q_EMIT released(QString(grab.id));
            }
            return true;
        }
    }
    return false;
}

}  // namespace bifocal::ui
