// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <QKeySequence>
#include <QList>
#include <QObject>
#include <QString>

#include <cstdint>
#include <memory>

namespace bifocal::ui {

/// A key that is heard whoever has the focus.
struct GlobalKey {
    QString id;
    QString description;  ///< what a desktop shows in its settings
    QKeySequence keys;    ///< one chord; a desktop with settings of its own may choose another
};

enum class KeyFault : std::uint8_t {
    Taken = 1,    ///< another program has it
    Unknown,      ///< this keyboard cannot type it
    Unavailable,  ///< this desktop gives no program keys of the whole desktop
    Refused,      ///< the desktop, or the person it asked, said no
};

/// Keys of the whole desktop: X11 key grabs, the desktop portal's shortcuts, or none.
/// Threads: gui.
class GlobalKeys : public QObject {
    Q_OBJECT

public:
    using QObject::QObject;

    /// Gives back what was bound and binds these; failed() or bound() follows for each, perhaps
    /// before it returns.
    virtual void bind(const QList<GlobalKey>& keys) = 0;

Q_SIGNALS:
    /// `keys`: what it is on this desktop, in words; may be empty.
    void bound(const QString& id, const QString& keys);
    void failed(const QString& id, bifocal::ui::KeyFault fault);
    void pressed(const QString& id);
    /// Always after its pressed(); a key that is held repeats neither.
    void released(const QString& id);
};

/// Those of this desktop. Requires: the application object.
std::unique_ptr<GlobalKeys> makeGlobalKeys();

}  // namespace bifocal::ui
