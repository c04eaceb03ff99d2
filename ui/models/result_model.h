// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "ui/models/items.h"

#include <QAbstractListModel>
#include <QCache>
#include <QHash>
#include <QSet>

namespace bifocal::ui {

/// The pictures of an answer, or of a collection while browsing.
///
/// An answer is refined in place: rows that stay keep their identity (moves, inserts and removals,
/// never a reset), and the pinned row, the one under the pointer, keeps its index until the next
/// answer. Reading ThumbnailRole of a row without a thumbnail answers "not yet" and emits
/// thumbnailWanted once; setThumbnail is followed by one dataChanged with that role.
/// Threads: gui.
class ResultModel final : public QAbstractListModel {
    Q_OBJECT

public:
    explicit ResultModel(QObject* parent = nullptr);

    int rowCount(const QModelIndex& parent = {}) const override;
    QVariant data(const QModelIndex& index, int role = Qt::DisplayRole) const override;
    bool canFetchMore(const QModelIndex& parent) const override;
    void fetchMore(const QModelIndex& parent) override;

    /// A new answer: everything before it goes.
    void replace(QList<ResultItem> rows);
    /// The same answer, better known.
    void refine(QList<ResultItem> rows);
    /// More rows at the end (browsing).
    void append(const QList<ResultItem>& rows);
    void clear() { replace({}); }

    /// Whether scrolling to the end asks for more (pageWanted).
    enum class Paging : std::uint8_t { Complete = 1, MayHaveMore };
    void setPaging(Paging paging);

    /// The row that must not move while refining; -1: none.
    void setPinnedRow(int row);

    const ResultItem& itemAt(int row) const { return rows_.at(row); }
    /// The same for an index of this model; null for any other index.
    const ResultItem* item(const QModelIndex& index) const;

    /// Words and looks of the best row together: the full length of a why-matched bar.
    double bestTotal() const { return bestTotal_; }

    void setThumbnail(const ContentKey& content, const QImage& image);
    void setThumbnailFailed(const ContentKey& content);
    /// The picture was asked for, but the answer will not come (it scrolled away).
    void forgetThumbnailRequest(const ContentKey& content);

Q_SIGNALS:
    void thumbnailWanted(const bifocal::ui::ResultItem& item) const;
    void pageWanted(int offset);

private:
    void measureBest();
    void keepPinned(QList<ResultItem>& rows) const;
    QVariant thumbnail(const ResultItem& item) const;
    void announce(const ContentKey& content, int role);

    static constexpr qsizetype kThumbnailCacheBytes = qsizetype{96} << 20;

    QList<ResultItem> rows_;
    double bestTotal_ = 0;
    Paging paging_ = Paging::Complete;
    bool pageIsAsked_ = false;
    int pinnedRow_ = -1;
    mutable QCache<QByteArray, QImage> thumbnails_{kThumbnailCacheBytes};
    mutable QSet<QByteArray> wanted_;
    QSet<QByteArray> failed_;
};

/// Key for hashing in Qt containers.
QByteArray toKey(const ContentKey& content);

}  // namespace bifocal::ui
