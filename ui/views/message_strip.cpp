// SPDX-License-Identifier: Apache-2.0
#include "ui/views/message_strip.h"

#include "ui/models/message_list_model.h"
#include "ui/views/icons.h"
#include "ui/views/make_child.h"
#include "ui/views/theme.h"

#include <QHBoxLayout>
#include <QLabel>
#include <QPushButton>
#include <QToolButton>
#include <QVBoxLayout>

#include <algorithm>

namespace bifocal::ui {

MessageStrip::MessageStrip(MessageListModel& model, const Theme& theme, QWidget* parent)
    : QWidget(parent), model_(model), theme_(theme) {
    layout_ = new QVBoxLayout(this);
    layout_->setContentsMargins(18, 8, 12, 0);
    layout_->setSpacing(2);
    connect(&model, &QAbstractItemModel::rowsInserted, this, &MessageStrip::rebuild);
    connect(&model, &QAbstractItemModel::rowsRemoved, this, &MessageStrip::rebuild);
    connect(&theme, &Theme::changed, this, &MessageStrip::rebuild);
    rebuild();
}

void MessageStrip::rebuild() {
    while (QLayoutItem* item = layout_->takeAt(0)) {
        item->widget()->hide();
        item->widget()->deleteLater();  // it may be the row whose cross was clicked
        delete item;
    }
    const int count = model_.rowCount();
    for (int row = std::max(0, count - kMostRows); row < count; ++row) {
        layout_->addWidget(makeRow(row));
    }
    setVisible(count > 0);
}

QWidget* MessageStrip::makeRow(int row) {
    const MessageItem& message = model_.itemAt(row);
    const QPersistentModelIndex index(model_.index(row));
    auto* line = makeChild<QWidget>(this);
    auto* layout = new QHBoxLayout(line);
    layout->setContentsMargins(0, 0, 0, 0);
    layout->setSpacing(8);
    auto* mark = makeChild<QLabel>(line);
    mark->setText(QStringLiteral("●"));
    QPalette colour = mark->palette();
    colour.setColor(QPalette::WindowText, theme_.palette().warning);
    mark->setPalette(colour);
    mark->setFont(theme_.font(TextSize::Small));
    auto* text = makeChild<QLabel>(line);
    text->setText(message.text);
    text->setToolTip(message.detail);
    text->setWordWrap(true);
    text->setFont(theme_.font(TextSize::Body));
    layout->addWidget(mark);
    layout->addWidget(text, 1);
    if (message.action != MessageItem::Action::None) {
        auto* action = makeChild<QPushButton>(line);
        action->setObjectName(QStringLiteral("link"));
        action->setText(message.actionText);
        layout->addWidget(action);
        connect(action, &QPushButton::clicked, this, [this, index, kind = message.action] {
            model_.dismiss(index.row());
            Q_EMIT actionWanted(kind);
        });
    }
    auto* close = makeChild<QToolButton>(line);
    close->setIcon(glyphIcon(Glyph::Close, theme_.palette().muted));
    close->setFixedSize(22, 22);
    close->setAccessibleName(tr("read: %1").arg(message.text));
    layout->addWidget(close);
    connect(close, &QToolButton::clicked, this, [this, index] { model_.dismiss(index.row()); });
    return line;
}

}  // namespace bifocal::ui
