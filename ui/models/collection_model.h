// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "ui/models/items.h"

#include <QAbstractListModel>

namespace bifocal::ui {

/// The indexed folders under a first row that stands for all of them, with what their scans do.
/// Threads: gui.
class CollectionModel final : public QAbstractListModel {
    Q_OBJECT

public:
    explicit CollectionModel(QObject* parent = nullptr);

    int rowCount(const QModelIndex& parent = {}) const override;
    QVariant data(const QModelIndex& index, int role = Qt::DisplayRole) const override;

    /// The state of all collections, without the row for everything; only what differs is
    /// signalled.
    void setCollections(const QList<CollectionItem>& collections);

    const CollectionItem& itemAt(int row) const { return rows_.at(row); }
    int rowOf(CollectionId collection) const;
    bool isEmpty() const { return rows_.size() <= 1; }
    std::uint64_t failureCount() const { return rows_.first().failureCount; }
    /// Names of the collections that are being scanned now.
    QStringList namesBeingScanned() const;

Q_SIGNALS:
    void failureCountChanged(qulonglong count);

private:
    static CollectionItem sumOf(const QList<CollectionItem>& collections);
    void assign(int row, const CollectionItem& item);
    QString progressText(const CollectionItem& item) const;

    QList<CollectionItem> rows_;
};

}  // namespace bifocal::ui
