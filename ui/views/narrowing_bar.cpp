// SPDX-License-Identifier: Apache-2.0
#include "ui/views/narrowing_bar.h"

#include "ui/views/make_child.h"
#include "ui/views/theme.h"

#include <QAction>
#include <QActionGroup>
#include <QComboBox>
#include <QHBoxLayout>
#include <QMenu>
#include <QPushButton>

namespace bifocal::ui {

namespace {

constexpr int kWeek = 7;
constexpr int kMonth = 30;
constexpr int kYear = 365;

/// A choice among others of its group; the first is the one that asks for nothing.
QAction* addChoice(QMenu& menu, QActionGroup& group, const QString& text, qlonglong value) {
    QAction* action = menu.addAction(text);
    action->setCheckable(true);
    action->setChecked(group.actions().isEmpty());
    action->setData(value);
    group.addAction(action);
    return action;
}

}  // namespace

NarrowingBar::NarrowingBar(const Theme& theme, QWidget* parent) : QWidget(parent), theme_(theme) {
    auto* layout = new QHBoxLayout(this);
    layout->setContentsMargins(0, 0, 0, 0);
    layout->setSpacing(6);
    buildFilter();
    buildOrder();
    buildStrictness();
    layout->addWidget(filter_);
    layout->addWidget(order_);
    layout->addWidget(strictness_);
    connect(&theme, &Theme::changed, this, &NarrowingBar::applyTheme);
    applyTheme();
}

void NarrowingBar::buildStrictness() {
    strictness_ = makeChild<QComboBox>(this);
    strictness_->setAccessibleName(tr("the weakest match to show"));
    strictness_->setToolTip(tr("Show only what stands out of the rest"));
    strictness_->addItem(tr("all matches"), static_cast<int>(Fit::Weak));
    strictness_->addItem(tr("fair and strong"), static_cast<int>(Fit::Fair));
    strictness_->addItem(tr("only strong"), static_cast<int>(Fit::Strong));
    connect(strictness_, &QComboBox::activated, this, [this](int index) {
        narrowing_.weakest = static_cast<Fit>(strictness_->itemData(index).toInt());
        announce();
    });
}

void NarrowingBar::buildOrder() {
    order_ = makeChild<QComboBox>(this);
    order_->setAccessibleName(tr("the order of the results"));
    order_->setToolTip(tr("Sort the best results; which ones they are stays the same"));
    order_->addItem(tr("best first"), static_cast<int>(ResultOrder::Best));
    order_->addItem(tr("newest first"), static_cast<int>(ResultOrder::Newest));
    order_->addItem(tr("oldest first"), static_cast<int>(ResultOrder::Oldest));
    order_->addItem(tr("largest first"), static_cast<int>(ResultOrder::Largest));
    order_->addItem(tr("smallest first"), static_cast<int>(ResultOrder::Smallest));
    order_->addItem(tr("by name"), static_cast<int>(ResultOrder::Name));
    connect(order_, &QComboBox::activated, this, [this](int index) {
        narrowing_.order = static_cast<ResultOrder>(order_->itemData(index).toInt());
        announce();
    });
}

void NarrowingBar::buildFilter() {
    filter_ = makeChild<QPushButton>(this);
    filter_->setToolTip(tr("Search only some files: by type, time of change, size"));
    menu_ = makeChild<QMenu>(this);
    clear_ = menu_->addAction(tr("All files"));
    connect(clear_, &QAction::triggered, this, &NarrowingBar::clearFilter);
    addTypes();
    addTimes();
    addSizes();
    filter_->setMenu(menu_);
    filter_->setText(tr("Filter"));
    filter_->setAccessibleName(tr("filter"));
}

void NarrowingBar::addTypes() {
    menu_->addSection(tr("Type"));
    for (const char* type : {"jpeg", "png", "webp", "gif", "tiff", "heic", "bmp"}) {
        QAction* action = menu_->addAction(QString::fromLatin1(type).toUpper());
        action->setCheckable(true);
        action->setData(QString::fromLatin1(type));
        types_.append(action);
        connect(action, &QAction::triggered, this, &NarrowingBar::takeTypes);
    }
}

void NarrowingBar::addTimes() {
    menu_->addSection(tr("Changed"));
    times_ = makeChild<QActionGroup>(this);
    addChoice(*menu_, *times_, tr("At any time"), 0);
    addChoice(*menu_, *times_, tr("In the last week"), kWeek);
    addChoice(*menu_, *times_, tr("In the last month"), kMonth);
    addChoice(*menu_, *times_, tr("In the last year"), kYear);
    connect(times_, &QActionGroup::triggered, this, [this](const QAction* chosen) {
        narrowing_.newestDays = chosen->data().toInt();
        announce();
    });
}

void NarrowingBar::addSizes() {
    menu_->addSection(tr("Size"));
    sizes_ = makeChild<QActionGroup>(this);
    addChoice(*menu_, *sizes_, tr("Any"), 0);
    addChoice(*menu_, *sizes_, tr("At least 100 kB"), 100'000);
    addChoice(*menu_, *sizes_, tr("At least 1 MB"), 1'000'000);
    addChoice(*menu_, *sizes_, tr("At least 10 MB"), 10'000'000);
    connect(sizes_, &QActionGroup::triggered, this, [this](const QAction* chosen) {
        narrowing_.smallestBytes = chosen->data().toLongLong();
        announce();
    });
}

void NarrowingBar::takeTypes() {
    narrowing_.types.clear();
    for (const QAction* type : types_) {
        if (type->isChecked()) {
            narrowing_.types.append(type->data().toString());
        }
    }
    announce();
}

void NarrowingBar::clearFilter() {
    for (QAction* type : types_) {
        type->setChecked(false);
    }
    times_->actions().first()->setChecked(true);
    sizes_->actions().first()->setChecked(true);
    narrowing_.types.clear();
    narrowing_.newestDays = 0;
    narrowing_.smallestBytes = 0;
    announce();
}

void NarrowingBar::announce() {
    filter_->setText(narrowing_.hasFilter() ? tr("Filter: on") : tr("Filter"));
    Q_EMIT changed(narrowing_);
}

void NarrowingBar::applyTheme() {
    const QFont font = theme_.font(TextSize::Body);
    strictness_->setFont(font);
    order_->setFont(font);
    filter_->setFont(font);
}

}  // namespace bifocal::ui
