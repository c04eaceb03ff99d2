// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <QDialog>
#include <QList>

class QKeySequenceEdit;
class QLabel;

namespace bifocal::ui {

class DesktopPresence;

/// Chooses the keys of the whole desktop; each is tried at once, and says what became of it.
/// Threads: gui.
class KeysDialog final : public QDialog {
    Q_OBJECT

public:
    /// `presence` must outlive it.
    KeysDialog(DesktopPresence& presence, QWidget* parent);

    const QList<QKeySequenceEdit*>& fields() const { return fields_; }
    const QList<QLabel*>& states() const { return states_; }

private:
    void apply();
    void showStates();

    DesktopPresence& presence_;
    QList<QKeySequenceEdit*> fields_;
    QList<QLabel*> states_;
};

}  // namespace bifocal::ui
