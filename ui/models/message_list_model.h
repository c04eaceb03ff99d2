// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "ui/models/items.h"

#include <QAbstractListModel>

namespace bifocal::ui {

/// What went wrong, newest last, kept until read. The same text is not listed twice.
/// Threads: gui.
class MessageListModel final : public QAbstractListModel {
    Q_OBJECT

public:
    explicit MessageListModel(QObject* parent = nullptr);

    int rowCount(const QModelIndex& parent = {}) const override;
    QVariant data(const QModelIndex& index, int role = Qt::DisplayRole) const override;

    void add(const MessageItem& message);
    /// Requires: row is one of the rows.
    void dismiss(int row);
    const MessageItem& itemAt(int row) const { return rows_.at(row); }

private:
    QList<MessageItem> rows_;
};

}  // namespace bifocal::ui
