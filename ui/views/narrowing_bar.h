// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "ui/models/items.h"

#include <QString>
#include <QWidget>

class QAction;
class QActionGroup;
class QComboBox;
class QMenu;
class QPushButton;

namespace bifocal::ui {

class Theme;

/// What somebody wants to see of an answer: how close a match must be, in which order, and of which
/// files. Each choice is announced at once. Threads: gui.
class NarrowingBar final : public QWidget {
    Q_OBJECT

public:
    NarrowingBar(const Theme& theme, QWidget* parent);

    const Narrowing& narrowing() const { return narrowing_; }
    QComboBox& strictness() { return *strictness_; }
    QComboBox& order() { return *order_; }
    QPushButton& filterButton() { return *filter_; }
    QMenu& filterMenu() { return *menu_; }

Q_SIGNALS:
    void changed(const bifocal::ui::Narrowing& narrowing);

private:
    void buildStrictness();
    void buildOrder();
    void buildFilter();
    void addTypes();
    void addTimes();
    void addSizes();
    void clearFilter();
    void takeTypes();
    void announce();
    void applyTheme();

    const Theme& theme_;
    Narrowing narrowing_;
    QComboBox* strictness_ = nullptr;
    QComboBox* order_ = nullptr;
    QPushButton* filter_ = nullptr;
    QMenu* menu_ = nullptr;
    QAction* clear_ = nullptr;
    QList<QAction*> types_;  ///< data: the extension
    QActionGroup* times_ = nullptr;
    QActionGroup* sizes_ = nullptr;
};

}  // namespace bifocal::ui
