// SPDX-License-Identifier: Apache-2.0
#include "ui/models/result_model.h"

#include "ui/models/roles.h"

#include <QLocale>

#include <algorithm>
#include <utility>

namespace bifocal::ui {

namespace {

qsizetype indexOfFile(const QList<ResultItem>& rows, FileId file, qsizetype from) {
    const auto found = std::find_if(
        rows.begin() + from, rows.end(), [&](const ResultItem& row) { return row.file == file; });
    return found == rows.end() ? -1 : found - rows.begin();
}

double clampedTotal(const ResultItem& row) {
    return std::max(0.0, double{row.words}) + std::max(0.0, double{row.looks});
}

}  // namespace

QByteArray toKey(const ContentKey& content) {
    return QByteArray(reinterpret_cast<const char*>(content.bytes.data()),
                      static_cast<qsizetype>(content.bytes.size()));
}

ResultModel::ResultModel(QObject* parent) : QAbstractListModel(parent) {}

int ResultModel::rowCount(const QModelIndex& parent) const {
    return parent.isValid() ? 0 : static_cast<int>(rows_.size());
}

QVariant ResultModel::data(const QModelIndex& index, int role) const {
    if (!checkIndex(index, CheckIndexOption::IndexIsValid | CheckIndexOption::ParentIsInvalid)) {
        return {};
    }
    const ResultItem& row = rows_.at(index.row());
    const double best = bestTotal_ > 0 ? bestTotal_ : 1;
    switch (role) {
        case Qt::DisplayRole: return row.isThisPicture ? tr("this picture") : nameOf(row.path);
        case Qt::ToolTipRole:
        case PathRole: return textOf(row.path);
        case Qt::AccessibleTextRole:
            return row.fit == Fit::None ? nameOf(row.path)
                                        : tr("%1, %2 match")
                                              .arg(data(index, Qt::DisplayRole).toString(),
                                                   data(index, FitTextRole).toString());
        case ThumbnailRole: return thumbnail(row);
        case ThumbnailFailedRole: return failed_.contains(toKey(row.content));
        case FitRole: return static_cast<int>(row.fit);
        case FitTextRole:
            switch (row.fit) {
                case Fit::Strong: return tr("strong");
                case Fit::Fair: return tr("fair");
                case Fit::Weak: return tr("weak");
                case Fit::None: return QString();
            }
            return {};
        case WordsRole: return double{row.words};
        case LooksRole: return double{row.looks};
        case WordsShareRole: return std::clamp(double{row.words} / best, 0.0, 1.0);
        case LooksShareRole: return std::clamp(double{row.looks} / best, 0.0, 1.0);
        case ThisPictureRole: return row.isThisPicture;
        case DateTextRole: return QLocale().toString(row.modified.date(), QLocale::ShortFormat);
        default: return {};
    }
}

QVariant ResultModel::thumbnail(const ResultItem& item) const {
    const QByteArray key = toKey(item.content);
    if (const QImage* image = thumbnails_.object(key)) {
        return *image;
    }
    if (!wanted_.contains(key) && !failed_.contains(key)) {
        wanted_.insert(key);
        Q_EMIT thumbnailWanted(item);
    }
    return {};
}

bool ResultModel::canFetchMore(const QModelIndex& parent) const {
    return !parent.isValid() && paging_ == Paging::MayHaveMore && !pageIsAsked_;
}

void ResultModel::fetchMore(const QModelIndex& parent) {
    if (canFetchMore(parent)) {
        pageIsAsked_ = true;
        Q_EMIT pageWanted(static_cast<int>(rows_.size()));
    }
}

void ResultModel::setPaging(Paging paging) {
    paging_ = paging;
    pageIsAsked_ = false;
}

void ResultModel::setPinnedRow(int row) {
    pinnedRow_ = row;
}

const ResultItem* ResultModel::item(const QModelIndex& index) const {
    return index.model() == this && index.row() < rows_.size() ? &rows_.at(index.row()) : nullptr;
}

void ResultModel::replace(QList<ResultItem> rows) {
    beginResetModel();
    rows_ = std::move(rows);
    pinnedRow_ = -1;
    paging_ = Paging::Complete;
    pageIsAsked_ = false;
    measureBest();
    endResetModel();
}

void ResultModel::refine(QList<ResultItem> rows) {
    keepPinned(rows);
    for (auto old = rows_.size() - 1; old >= 0; --old) {
        if (indexOfFile(rows, rows_.at(old).file, 0) < 0) {
            beginRemoveRows({}, static_cast<int>(old), static_cast<int>(old));
            rows_.removeAt(old);
            endRemoveRows();
        }
    }
    for (qsizetype target = 0; target < rows.size(); ++target) {
        const auto current = indexOfFile(rows_, rows.at(target).file, target);
        const int row = static_cast<int>(target);
        if (current < 0) {
            beginInsertRows({}, row, row);
            rows_.insert(target, rows.at(target));
            endInsertRows();
        } else if (current != target) {
            beginMoveRows({}, static_cast<int>(current), static_cast<int>(current), {}, row);
            rows_.move(current, target);
            endMoveRows();
        }
        rows_[target] = rows.at(target);
    }
    measureBest();
    if (!rows_.isEmpty()) {
        Q_EMIT dataChanged(index(0), index(static_cast<int>(rows_.size()) - 1));
    }
}

void ResultModel::keepPinned(QList<ResultItem>& rows) const {
    if (pinnedRow_ < 0 || pinnedRow_ >= rows_.size()) {
        return;
    }
    const auto now = indexOfFile(rows, rows_.at(pinnedRow_).file, 0);
    // The prompt's own picture is first, whatever the pointer rests on.
    const bool isTakenByOwn = pinnedRow_ == 0 && !rows.isEmpty() && rows.first().isThisPicture;
    if (now >= 0 && !isTakenByOwn && !rows.at(now).isThisPicture) {
        rows.move(now, std::min<qsizetype>(pinnedRow_, rows.size() - 1));
    }
}

void ResultModel::append(const QList<ResultItem>& rows) {
    if (rows.isEmpty()) {
        return;
    }
    const int first = static_cast<int>(rows_.size());
    beginInsertRows({}, first, first + static_cast<int>(rows.size()) - 1);
    rows_.append(rows);
    endInsertRows();
}

void ResultModel::measureBest() {
    bestTotal_ = 0;
    for (const ResultItem& row : std::as_const(rows_)) {
        bestTotal_ = std::max(bestTotal_, clampedTotal(row));
    }
}

void ResultModel::setThumbnail(const ContentKey& content, const QImage& image) {
    const QByteArray key = toKey(content);
    wanted_.remove(key);
    failed_.remove(key);
    thumbnails_.insert(key, new QImage(image), std::max<qsizetype>(1, image.sizeInBytes()));
    announce(content, ThumbnailRole);
}

void ResultModel::setThumbnailFailed(const ContentKey& content) {
    const QByteArray key = toKey(content);
    wanted_.remove(key);
    failed_.insert(key);
    announce(content, ThumbnailFailedRole);
}

void ResultModel::forgetThumbnailRequest(const ContentKey& content) {
    wanted_.remove(toKey(content));
}

void ResultModel::announce(const ContentKey& content, int role) {
    for (int row = 0; row < static_cast<int>(rows_.size()); ++row) {
        if (rows_.at(row).content == content) {
            Q_EMIT dataChanged(index(row), index(row), {role});
        }
    }
}

}  // namespace bifocal::ui
