// SPDX-License-Identifier: Apache-2.0
#include "ui/views/empty_state.h"

#include "ui/views/make_child.h"
#include "ui/views/theme.h"

#include <QLabel>
#include <QPushButton>
#include <QVBoxLayout>

namespace bifocal::ui {

EmptyState::EmptyState(const Theme& theme, QWidget* parent) : QWidget(parent), theme_(theme) {
    auto* layout = new QVBoxLayout(this);
    layout->setSpacing(8);
    title_ = makeChild<QLabel>(this);
    title_->setAlignment(Qt::AlignCenter);
    sentence_ = makeChild<QLabel>(this);
    sentence_->setAlignment(Qt::AlignCenter);
    sentence_->setWordWrap(true);
    sentence_->setObjectName(QStringLiteral("muted"));
    button_ = makeChild<QPushButton>(this);
    layout->addStretch(2);
    layout->addWidget(title_);
    layout->addWidget(sentence_);
    layout->addSpacing(8);
    layout->addWidget(button_, 0, Qt::AlignHCenter);
    layout->addStretch(3);
    connect(button_, &QPushButton::clicked, this, &EmptyState::buttonClicked);
    connect(&theme, &Theme::changed, this, &EmptyState::applyTheme);
    applyTheme();
}

void EmptyState::applyTheme() {
    title_->setFont(theme_.font(TextSize::Prompt, QFont::DemiBold));
    sentence_->setFont(theme_.font(TextSize::Title));
}

void EmptyState::say(const QString& title, const QString& sentence, const QString& button) {
    title_->setText(title);
    sentence_->setText(sentence);
    button_->setText(button);
    button_->setVisible(!button.isEmpty());
}

}  // namespace bifocal::ui
