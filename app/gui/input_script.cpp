// SPDX-License-Identifier: Apache-2.0
#include "app/gui/input_script.h"

#include <QCoreApplication>
#include <QDragEnterEvent>
#include <QDropEvent>
#include <QKeyEvent>
#include <QMimeData>
#include <QMouseEvent>
#include <QWidget>
#include <QWindow>

#include <chrono>
#include <memory>
#include <utility>

// Qt's own entrance for keys that a test makes up: they pass the platform's seam and the map of
// shortcuts as real ones do, which events sent to a widget do not. Exported for QtTest, declared in
// no header of QtGui.
Q_GUI_EXPORT void qt_handleKeyEvent(QWindow* window,
                                    QEvent::Type type,
                                    int key,
                                    Qt::KeyboardModifiers modifiers,
                                    const QString& text,
                                    bool isRepeated,
                                    ushort count);

namespace bifocal::app {

namespace {

constexpr std::chrono::milliseconds kPace{40};
constexpr int kDragSteps = 8;

void sendKey(QWidget& widget,
             QEvent::Type type,
             int key,
             Qt::KeyboardModifiers modifiers,
             const QString& text) {
    QKeyEvent event(type, key, modifiers, text);
    QCoreApplication::sendEvent(&widget, &event);
}

void sendMouse(QWidget& widget,
               QEvent::Type type,
               const QPoint& position,
               Qt::MouseButtons buttons) {
    const Qt::MouseButton button = type == QEvent::MouseMove ? Qt::NoButton : Qt::LeftButton;
    QMouseEvent event(
        type, position, widget.mapToGlobal(QPointF(position)), button, buttons, Qt::NoModifier);
    QCoreApplication::sendEvent(&widget, &event);
}

}  // namespace

InputScript::InputScript(QObject* parent) : QObject(parent) {
    pace_.setInterval(kPace);
    connect(&pace_, &QTimer::timeout, this, &InputScript::next);
}

void InputScript::add(QWidget* widget, std::function<void(QWidget&)> action) {
    actions_.enqueue({widget, std::move(action)});
    pace_.start();
}

void InputScript::stop() {
    actions_.clear();
    pace_.stop();
}

void InputScript::next() {
    if (!actions_.isEmpty()) {
        const Action action = actions_.dequeue();
        if (action.widget) {
            action.run(*action.widget);
        }
    }
    if (actions_.isEmpty()) {
        pace_.stop();
        Q_EMIT finished();
    }
}

void InputScript::type(QWidget* widget, const QString& text) {
    for (const QChar letter : text) {
        add(widget, [letter](QWidget& target) {
            const int key = letter.toUpper().unicode();
            sendKey(target, QEvent::KeyPress, key, Qt::NoModifier, letter);
            sendKey(target, QEvent::KeyRelease, key, Qt::NoModifier, letter);
        });
    }
}

void InputScript::press(QWidget* widget, int key, Qt::KeyboardModifiers modifiers) {
    add(widget, [key, modifiers](QWidget& target) {
        sendKey(target, QEvent::KeyPress, key, modifiers, {});
        sendKey(target, QEvent::KeyRelease, key, modifiers, {});
    });
}

void InputScript::pressInWindow(QWidget* window, int key) {
    add(window, [key](QWidget& target) {
        for (const QEvent::Type type : {QEvent::KeyPress, QEvent::KeyRelease}) {
            qt_handleKeyEvent(target.windowHandle(), type, key, Qt::NoModifier, {}, false, 1);
        }
    });
}

void InputScript::click(QWidget* widget, const QPoint& position) {
    add(widget, [position](QWidget& target) {
        sendMouse(target, QEvent::MouseButtonPress, position, Qt::LeftButton);
    });
    add(widget, [position](QWidget& target) {
        sendMouse(target, QEvent::MouseButtonRelease, position, Qt::NoButton);
    });
}

void InputScript::drag(QWidget* widget,
                       const QPoint& from,
                       const QPoint& to,
                       std::function<void(QWidget&)> atEnd) {
    add(widget, [from](QWidget& target) {
        sendMouse(target, QEvent::MouseButtonPress, from, Qt::LeftButton);
    });
    for (int step = 1; step <= kDragSteps; ++step) {
        const QPoint at = from + (to - from) * step / kDragSteps;
        add(widget,
            [at](QWidget& target) { sendMouse(target, QEvent::MouseMove, at, Qt::LeftButton); });
    }
    if (atEnd) {
        add(widget, std::move(atEnd));
    }
    add(widget,
        [to](QWidget& target) { sendMouse(target, QEvent::MouseButtonRelease, to, Qt::NoButton); });
}

void InputScript::drop(QWidget* window, QMimeData* data) {
    const std::shared_ptr<QMimeData> held(data);
    add(window, [held](QWidget& target) {
        QDragEnterEvent event(
            target.rect().center(), Qt::CopyAction, held.get(), Qt::LeftButton, Qt::NoModifier);
        QCoreApplication::sendEvent(&target, &event);
    });
    add(window, [held](QWidget& target) {
        QDragMoveEvent event(
            target.rect().center(), Qt::CopyAction, held.get(), Qt::LeftButton, Qt::NoModifier);
        QCoreApplication::sendEvent(&target, &event);
    });
    add(window, [held](QWidget& target) {
        QDropEvent event(
            target.rect().center(), Qt::CopyAction, held.get(), Qt::LeftButton, Qt::NoModifier);
        QCoreApplication::sendEvent(&target, &event);
    });
}

}  // namespace bifocal::app
