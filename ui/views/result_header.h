// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "ui/models/items.h"

#include <QWidget>

class QLabel;
class QPushButton;

namespace bifocal::ui {

class NarrowingBar;
class Theme;

/// The lines above the grid: what was searched and how well it fits, and the time it took, which is
/// a door to that request's waterfall. Threads: gui.
class ResultHeader final : public QWidget {
    Q_OBJECT

public:
    ResultHeader(const Theme& theme, QWidget* parent);

    /// `scanned`: names of the folders that are being indexed now.
    void show(const AnswerSummary& summary, const QStringList& scanned);

    QString text() const;
    QPushButton& timeDoor() { return *time_; }
    NarrowingBar& narrowing() { return *narrowing_; }

Q_SIGNALS:
    void requestWanted(qulonglong request);
    void scanWanted();

private:
    QString headline(const AnswerSummary& summary) const;
    QString advice(const AnswerSummary& summary) const;
    void applyTheme();

    const Theme& theme_;
    QLabel* headline_ = nullptr;
    QLabel* fits_ = nullptr;
    QPushButton* scan_ = nullptr;
    NarrowingBar* narrowing_ = nullptr;
    QPushButton* time_ = nullptr;
    QLabel* advice_ = nullptr;
    std::uint64_t request_ = 0;
};

}  // namespace bifocal::ui
