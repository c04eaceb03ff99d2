// SPDX-License-Identifier: Apache-2.0
#include "ui/models/message_list_model.h"

#include "ui/models/roles.h"

#include <algorithm>

namespace bifocal::ui {

MessageListModel::MessageListModel(QObject* parent) : QAbstractListModel(parent) {}

int MessageListModel::rowCount(const QModelIndex& parent) const {
    return parent.isValid() ? 0 : static_cast<int>(rows_.size());
}

QVariant MessageListModel::data(const QModelIndex& index, int role) const {
    if (!checkIndex(index, CheckIndexOption::IndexIsValid | CheckIndexOption::ParentIsInvalid)) {
        return {};
    }
    const MessageItem& row = rows_.at(index.row());
    switch (role) {
        case Qt::DisplayRole:
        case Qt::AccessibleTextRole: return row.text;
        case Qt::ToolTipRole:
        case DetailRole: return row.detail;
        case ActionRole: return static_cast<int>(row.action);
        case ActionTextRole: return row.actionText;
        default: return {};
    }
}

void MessageListModel::add(const MessageItem& message) {
    const bool isListed = std::any_of(rows_.begin(), rows_.end(), [&](const MessageItem& row) {
        return row.text == message.text;
    });
    if (isListed) {
        return;
    }
    const int row = static_cast<int>(rows_.size());
    beginInsertRows({}, row, row);
    rows_.append(message);
    endInsertRows();
}

void MessageListModel::dismiss(int row) {
    beginRemoveRows({}, row, row);
    rows_.removeAt(row);
    endRemoveRows();
}

}  // namespace bifocal::ui
