// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <QObject>
#include <QPointer>
#include <QQueue>
#include <QTimer>

#include <functional>

class QMimeData;
class QWidget;

namespace bifocal::app {

/// What a person's hands do, as events to the real widgets: one event per tick, in order, at the
/// pace of a fast typist. Threads: gui.
class InputScript final : public QObject {
    Q_OBJECT

public:
    explicit InputScript(QObject* parent = nullptr);

    void type(QWidget* widget, const QString& text);
    void press(QWidget* widget, int key, Qt::KeyboardModifiers modifiers = Qt::NoModifier);
    void click(QWidget* widget, const QPoint& position);
    /// The same as the platform would give it to the window, so that shortcuts hear it as well.
    void pressInWindow(QWidget* window, int key);
    /// Press at `from`, move in steps, release at `to`; `atEnd` runs just before the release.
    void drag(QWidget* widget,
              const QPoint& from,
              const QPoint& to,
              std::function<void(QWidget&)> atEnd = {});
    /// Drags `data` over the window and lets it go in its middle; takes it.
    void drop(QWidget* window, QMimeData* data);

    bool isIdle() const { return actions_.isEmpty(); }
    /// Forgets what has not been done yet.
    void stop();

Q_SIGNALS:
    /// Everything asked for has been done.
    void finished();

private:
    void add(QWidget* widget, std::function<void(QWidget&)> action);
    void next();

    struct Action {
        QPointer<QWidget> widget;
        std::function<void(QWidget&)> run;
    };
    QQueue<Action> actions_;
    QTimer pace_;
};

}  // namespace bifocal::app
