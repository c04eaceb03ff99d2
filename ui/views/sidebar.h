// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "ui/models/items.h"

#include <QWidget>

class QLabel;
class QListView;
class QPushButton;

namespace bifocal::ui {

class Session;
class Theme;

/// The library: collections with what their scans do, what needs attention, and the device line.
/// Threads: gui.
class Sidebar final : public QWidget {
    Q_OBJECT

public:
    Sidebar(Session& session, const Theme& theme, QWidget* parent);

    QListView& list() { return *list_; }
    QPushButton& failuresDoor() { return *failures_; }
    QString deviceText() const;

    /// Makes the row of a folder that is being scanned visible and current.
    void showScan();
    /// Pauses or resumes the scan of the chosen folder, or of the only one that runs.
    void togglePause();

Q_SIGNALS:
    void addFolderWanted();
    void failuresWanted();

private:
    class Mark;

    void buildLibrary();
    void showDevice(const DeviceItem& device);
    void showFailureCount(qulonglong count);
    void togglePauseOf(const QModelIndex& index);
    void showMenu(const QPoint& position);
    void fitList();
    void applyTheme();

    Session& session_;
    const Theme& theme_;
    Mark* mark_ = nullptr;
    QLabel* libraryCaption_ = nullptr;
    QListView* list_ = nullptr;
    QPushButton* add_ = nullptr;
    QLabel* attentionCaption_ = nullptr;
    QPushButton* failures_ = nullptr;
    QLabel* device_ = nullptr;
};

}  // namespace bifocal::ui
