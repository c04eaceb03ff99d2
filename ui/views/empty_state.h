// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <QWidget>

class QLabel;
class QPushButton;

namespace bifocal::ui {

class Theme;

/// A sentence and a button where there is nothing to show. Threads: gui.
class EmptyState final : public QWidget {
    Q_OBJECT

public:
    EmptyState(const Theme& theme, QWidget* parent);

    /// An empty button text shows no button.
    void say(const QString& title, const QString& sentence, const QString& button);

Q_SIGNALS:
    void buttonClicked();

private:
    void applyTheme();

    const Theme& theme_;
    QLabel* title_ = nullptr;
    QLabel* sentence_ = nullptr;
    QPushButton* button_ = nullptr;
};

}  // namespace bifocal::ui
