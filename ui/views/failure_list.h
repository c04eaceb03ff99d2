// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <QWidget>

class QLabel;
class QListView;
class QPushButton;

namespace bifocal::ui {

class Session;
class Theme;

/// Which files could not be read, and why; retry one or all. Threads: gui.
class FailureList final : public QWidget {
    Q_OBJECT

public:
    FailureList(Session& session, const Theme& theme, QWidget* parent);

    QListView& list() { return *list_; }
    QPushButton& retryButton() { return *retry_; }

    /// The chosen file again; all files when none is chosen.
    void retry();

Q_SIGNALS:
    void closed();

protected:
    void keyPressEvent(QKeyEvent* event) override;

private:
    class RowDelegate;

    void showCount();
    void applyTheme();

    Session& session_;
    const Theme& theme_;
    QLabel* title_ = nullptr;
    QListView* list_ = nullptr;
    QPushButton* retry_ = nullptr;
    QPushButton* back_ = nullptr;
};

}  // namespace bifocal::ui
