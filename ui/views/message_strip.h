// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "ui/models/items.h"

#include <QWidget>

class QVBoxLayout;

namespace bifocal::ui {

class MessageListModel;
class Theme;

/// Quiet rows about what went wrong, each with its action and a cross; the newest kMostRows are
/// shown, none is lost. Threads: gui.
class MessageStrip final : public QWidget {
    Q_OBJECT

public:
    static constexpr int kMostRows = 3;

    MessageStrip(MessageListModel& model, const Theme& theme, QWidget* parent);

Q_SIGNALS:
    void actionWanted(bifocal::ui::MessageItem::Action action);

private:
    void rebuild();
    QWidget* makeRow(int row);

    MessageListModel& model_;
    const Theme& theme_;
    QVBoxLayout* layout_ = nullptr;
};

}  // namespace bifocal::ui
