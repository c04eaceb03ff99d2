// SPDX-License-Identifier: Apache-2.0
#include "ui/models/failure_model.h"

#include "ui/models/roles.h"

#include <utility>

namespace bifocal::ui {

FailureModel::FailureModel(QObject* parent) : QAbstractListModel(parent) {}

int FailureModel::rowCount(const QModelIndex& parent) const {
    return parent.isValid() ? 0 : static_cast<int>(rows_.size());
}

QVariant FailureModel::data(const QModelIndex& index, int role) const {
    if (!checkIndex(index, CheckIndexOption::IndexIsValid | CheckIndexOption::ParentIsInvalid)) {
        return {};
    }
    const FailureItem& row = rows_.at(index.row());
    switch (role) {
        case Qt::DisplayRole: return nameOf(row.path);
        case PathRole: return textOf(row.path);
        case ReasonRole: return row.reason;
        case DetailRole: return row.detail;
        case Qt::ToolTipRole: return QStringLiteral("%1\n%2").arg(textOf(row.path), row.detail);
        case Qt::AccessibleTextRole:
            return QStringLiteral("%1: %2").arg(nameOf(row.path), row.reason);
        case CollectionIdRole: return static_cast<qulonglong>(row.collection.value);
        default: return {};
    }
}

void FailureModel::setFailures(QList<FailureItem> failures) {
    if (rows_ == failures) {
        return;
    }
    beginResetModel();
    rows_ = std::move(failures);
    endResetModel();
}

}  // namespace bifocal::ui
