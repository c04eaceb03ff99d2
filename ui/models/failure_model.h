// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "ui/models/items.h"

#include <QAbstractListModel>

namespace bifocal::ui {

/// Files that could not be read, each with its reason. Threads: gui.
class FailureModel final : public QAbstractListModel {
    Q_OBJECT

public:
    explicit FailureModel(QObject* parent = nullptr);

    int rowCount(const QModelIndex& parent = {}) const override;
    QVariant data(const QModelIndex& index, int role = Qt::DisplayRole) const override;

    /// Replaces the list; an equal list changes nothing.
    void setFailures(QList<FailureItem> failures);
    const FailureItem& itemAt(int row) const { return rows_.at(row); }

private:
    QList<FailureItem> rows_;
};

}  // namespace bifocal::ui
