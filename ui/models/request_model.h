// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "ui/models/items.h"

#include <QAbstractListModel>

namespace bifocal::ui {

/// Recent requests, newest first, each with its waterfall. Threads: gui.
class RequestModel final : public QAbstractListModel {
    Q_OBJECT

public:
    explicit RequestModel(QObject* parent = nullptr);

    int rowCount(const QModelIndex& parent = {}) const override;
    QVariant data(const QModelIndex& index, int role = Qt::DisplayRole) const override;

    /// Newest first; new ones are inserted at the front, old ones leave at the end, the rest stays.
    void setRequests(const QList<RequestItem>& requests);

    const RequestItem& itemAt(int row) const { return rows_.at(row); }
    int rowOf(std::uint64_t request) const;
    /// "38.2 ms", "95.6 s".
    static QString durationText(double ms);
    /// Longest total of a class: the scale of its waterfalls.
    double longestMs(RequestClass kind) const;

private:
    QString classText(const RequestItem& item) const;

    QList<RequestItem> rows_;
};

}  // namespace bifocal::ui
