// SPDX-License-Identifier: Apache-2.0
#include "ui/views/keys_dialog.h"

#include "ui/views/desktop_presence.h"
#include "ui/views/make_child.h"

#include <QDialogButtonBox>
#include <QGridLayout>
#include <QKeySequenceEdit>
#include <QLabel>
#include <QToolButton>

namespace bifocal::ui {

KeysDialog::KeysDialog(DesktopPresence& presence, QWidget* parent)
    : QDialog(parent), presence_(presence) {
    setWindowTitle(tr("Keys of the whole desktop"));
    auto* layout = new QGridLayout(this);
    layout->setColumnMinimumWidth(1, 180);
    auto* why = makeChild<QLabel>(this);
    why->setText(tr("They work whichever program is in front. Click a field and press the keys."));
    layout->addWidget(why, 0, 0, 1, 3);
    int row = 1;
    for (const DesktopPresence::Key& key : presence_.keys()) {
        auto* name = makeChild<QLabel>(this);
        name->setText(key.name);
        auto* field = makeChild<QKeySequenceEdit>(this);
        field->setKeySequence(key.keys);
        field->setAccessibleName(key.name);
        name->setBuddy(field);
        auto* none = makeChild<QToolButton>(this);
        none->setText(tr("None"));
        none->setAccessibleName(tr("no key: %1").arg(key.name));
        auto* state = makeChild<QLabel>(this);
        state->setObjectName(QStringLiteral("faint"));
        layout->addWidget(name, row, 0);
        layout->addWidget(field, row, 1);
        layout->addWidget(none, row, 2);
        layout->addWidget(state, row + 1, 1, 1, 2);
        connect(field, &QKeySequenceEdit::editingFinished, this, &KeysDialog::apply);
        connect(none, &QToolButton::clicked, this, [this, field] {
            field->clear();
            apply();
        });
        fields_.append(field);
        states_.append(state);
        row += 2;
    }
    auto* buttons = makeChild<QDialogButtonBox>(this, QDialogButtonBox::Close);
    connect(buttons, &QDialogButtonBox::rejected, this, &QDialog::reject);
    layout->addWidget(buttons, row, 0, 1, 3);
    connect(&presence_, &DesktopPresence::keysChanged, this, &KeysDialog::showStates);
    showStates();
}

void KeysDialog::apply() {
    QList<QKeySequence> wanted;
    bool isNew = false;
    for (int i = 0; i < fields_.size(); ++i) {
        const QKeySequence typed = fields_[i]->keySequence();
        const QKeySequence chord = typed.isEmpty() ? typed : QKeySequence(typed[0]);
        if (chord != typed) {
            fields_[i]->setKeySequence(chord);  // one chord; the field takes up to four
        }
        isNew |= chord != presence_.keys()[i].keys;
        wanted.append(chord);
    }
    if (isNew) {
        presence_.setKeys(wanted);
    }
}

void KeysDialog::showStates() {
    for (int i = 0; i < states_.size(); ++i) {
        states_[i]->setText(presence_.keys()[i].state);
    }
}

}  // namespace bifocal::ui
