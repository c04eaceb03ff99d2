// SPDX-License-Identifier: Apache-2.0
#include "ui/models/request_model.h"

#include "ui/models/roles.h"

#include <QLocale>

#include <algorithm>

namespace bifocal::ui {

RequestModel::RequestModel(QObject* parent) : QAbstractListModel(parent) {}

int RequestModel::rowCount(const QModelIndex& parent) const {
    return parent.isValid() ? 0 : static_cast<int>(rows_.size());
}

QVariant RequestModel::data(const QModelIndex& index, int role) const {
    if (!checkIndex(index, CheckIndexOption::IndexIsValid | CheckIndexOption::ParentIsInvalid)) {
        return {};
    }
    const RequestItem& row = rows_.at(index.row());
    switch (role) {
        case Qt::DisplayRole: return row.label;
        case Qt::ToolTipRole:
        case Qt::AccessibleTextRole:
            return QStringLiteral("%1, %2, %3")
                .arg(row.label, classText(row), durationText(row.totalMs));
        case RequestIdRole: return static_cast<qulonglong>(row.id);
        case ClassTextRole: return classText(row);
        case TotalMsRole: return row.totalMs;
        case RequestClassRole: return static_cast<int>(row.kind);
        default: return {};
    }
}

QString RequestModel::classText(const RequestItem& item) const {
    switch (item.state) {
        case RequestState::Superseded: return tr("superseded");
        case RequestState::Cancelled: return tr("cancelled");
        case RequestState::Failed: return tr("failed");
        case RequestState::Running:
        case RequestState::Done: break;
    }
    switch (item.kind) {
        case RequestClass::Interactive: return tr("interactive");
        case RequestClass::Prefetch: return tr("prefetch");
        case RequestClass::Batch: return tr("batch");
    }
    return {};
}

void RequestModel::setRequests(const QList<RequestItem>& requests) {
    for (int row = static_cast<int>(rows_.size()) - 1; row >= 0; --row) {
        const std::uint64_t id = rows_.at(row).id;
        if (std::none_of(requests.begin(), requests.end(), [&](const RequestItem& item) {
                return item.id == id;
            })) {
            beginRemoveRows({}, row, row);
            rows_.removeAt(row);
            endRemoveRows();
        }
    }
    for (int row = 0; row < static_cast<int>(requests.size()); ++row) {
        const RequestItem& item = requests.at(row);
        const int current = rowOf(item.id);
        if (current < 0) {
            beginInsertRows({}, row, row);
            rows_.insert(row, item);
            endInsertRows();
            continue;
        }
        if (current != row) {
            beginMoveRows({}, current, current, {}, row);
            rows_.move(current, row);
            endMoveRows();
        }
        if (!rows_.at(row).isSameAs(item)) {
            rows_[row] = item;
            Q_EMIT dataChanged(index(row), index(row));
        } else {
            rows_[row].secondsAgo = item.secondsAgo;
        }
    }
}

int RequestModel::rowOf(std::uint64_t request) const {
    const auto found = std::find_if(
        rows_.begin(), rows_.end(), [&](const RequestItem& item) { return item.id == request; });
    return found == rows_.end() ? -1 : static_cast<int>(found - rows_.begin());
}

QString RequestModel::durationText(double ms) {
    constexpr double kAsSeconds = 10'000;
    return ms < kAsSeconds ? tr("%1 ms").arg(QLocale().toString(ms, 'f', 1))
                           : tr("%1 s").arg(QLocale().toString(ms / 1000, 'f', 1));
}

double RequestModel::longestMs(RequestClass kind) const {
    double longest = 0;
    for (const RequestItem& item : rows_) {
        if (item.kind == kind) {
            longest = std::max(longest, item.totalMs);
        }
    }
    return longest;
}

}  // namespace bifocal::ui
