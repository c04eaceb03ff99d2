// SPDX-License-Identifier: Apache-2.0
#include "ui/models/collection_model.h"

#include "ui/models/roles.h"

#include <QLocale>

#include <algorithm>
#include <cmath>

namespace bifocal::ui {

namespace {

QString number(std::uint64_t value) {
    return QLocale().toString(static_cast<qulonglong>(value));
}

}  // namespace

CollectionModel::CollectionModel(QObject* parent) : QAbstractListModel(parent) {
    rows_.append(CollectionItem{});
}

int CollectionModel::rowCount(const QModelIndex& parent) const {
    return parent.isValid() ? 0 : static_cast<int>(rows_.size());
}

QVariant CollectionModel::data(const QModelIndex& index, int role) const {
    if (!checkIndex(index, CheckIndexOption::IndexIsValid | CheckIndexOption::ParentIsInvalid)) {
        return {};
    }
    const CollectionItem& row = rows_.at(index.row());
    const bool isRunning = row.scan != ScanState::Idle;
    switch (role) {
        case Qt::DisplayRole: return row.id ? row.name : tr("Everything");
        case Qt::ToolTipRole:
            return row.id ? textOf(row.root) : tr("Every picture of every folder in the library");
        case Qt::AccessibleTextRole:
            return tr("%1, %Ln picture(s)", nullptr, static_cast<int>(row.fileCount))
                .arg(data(index, Qt::DisplayRole).toString());
        case CollectionIdRole: return static_cast<qulonglong>(row.id.value);
        case CountRole: return static_cast<qulonglong>(row.fileCount);
        case FailureCountRole: return static_cast<qulonglong>(row.failureCount);
        case ScanStateRole: return static_cast<int>(row.scan);
        case ProgressRole:
            if (!isRunning || !row.id) {
                return {};
            }
            return row.foundCount == 0
                       ? 0.0
                       : static_cast<double>(row.doneCount) / static_cast<double>(row.foundCount);
        case ProgressTextRole: return isRunning && row.id ? progressText(row) : QString();
        default: return {};
    }
}

QString CollectionModel::progressText(const CollectionItem& item) const {
    if (item.scan == ScanState::Walking && item.doneCount == 0) {
        return tr("looking for pictures · %1").arg(number(item.foundCount));
    }
    QStringList parts{tr("%1 of %2").arg(number(item.doneCount), number(item.foundCount))};
    if (item.scan == ScanState::Paused) {
        parts.append(tr("paused"));
        return parts.join(QStringLiteral(" · "));
    }
    if (item.picturesPerSecond > 0) {
        parts.append(tr("%1/s").arg(QLocale().toString(item.picturesPerSecond, 'f', 0)));
    }
    if (item.secondsLeft) {
        const double seconds = std::ceil(*item.secondsLeft);
        parts.append(
            seconds < 90
                ? tr("%1 s left").arg(QLocale().toString(seconds, 'f', 0))
                : tr("%1 min left").arg(QLocale().toString(std::ceil(seconds / 60), 'f', 0)));
    }
    return parts.join(QStringLiteral(" · "));
}

CollectionItem CollectionModel::sumOf(const QList<CollectionItem>& collections) {
    CollectionItem sum;
    for (const CollectionItem& item : collections) {
        sum.fileCount += item.fileCount;
        sum.failureCount += item.failureCount;
        if (item.scan != ScanState::Idle && sum.scan != ScanState::Indexing) {
            sum.scan = item.scan;
        }
    }
    return sum;
}

void CollectionModel::setCollections(const QList<CollectionItem>& collections) {
    const std::uint64_t failuresBefore = failureCount();
    for (int row = static_cast<int>(rows_.size()) - 1; row > 0; --row) {
        const CollectionId id = rows_.at(row).id;
        if (std::none_of(collections.begin(), collections.end(), [&](const CollectionItem& item) {
                return item.id == id;
            })) {
            beginRemoveRows({}, row, row);
            rows_.removeAt(row);
            endRemoveRows();
        }
    }
    for (const CollectionItem& item : collections) {
        const int row = rowOf(item.id);
        if (row >= 0) {
            assign(row, item);
        } else {
            const int end = static_cast<int>(rows_.size());
            beginInsertRows({}, end, end);
            rows_.append(item);
            endInsertRows();
        }
    }
    assign(0, sumOf(collections));
    if (failureCount() != failuresBefore) {
        Q_EMIT failureCountChanged(failureCount());
    }
}

void CollectionModel::assign(int row, const CollectionItem& item) {
    if (rows_.at(row) == item) {
        return;
    }
    rows_[row] = item;
    Q_EMIT dataChanged(index(row), index(row));
}

int CollectionModel::rowOf(CollectionId collection) const {
    const auto found = std::find_if(rows_.begin(), rows_.end(), [&](const CollectionItem& item) {
        return item.id == collection;
    });
    return found == rows_.end() ? -1 : static_cast<int>(found - rows_.begin());
}

QStringList CollectionModel::namesBeingScanned() const {
    QStringList names;
    for (const CollectionItem& item : rows_) {
        if (item.id && (item.scan == ScanState::Walking || item.scan == ScanState::Indexing)) {
            names.append(item.name);
        }
    }
    return names;
}

}  // namespace bifocal::ui
