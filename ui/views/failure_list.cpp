// SPDX-License-Identifier: Apache-2.0
#include "ui/views/failure_list.h"

#include "ui/bridge/session.h"
#include "ui/models/roles.h"
#include "ui/views/make_child.h"
#include "ui/views/theme.h"

#include <QAbstractItemDelegate>
#include <QFontMetrics>
#include <QHBoxLayout>
#include <QKeyEvent>
#include <QLabel>
#include <QListView>
#include <QPainter>
#include <QPushButton>
#include <QVBoxLayout>

#include <map>

namespace bifocal::ui {

/// Name and reason, the folder below in a quieter tone, a hairline under each row.
class FailureList::RowDelegate final : public QAbstractItemDelegate {
public:
    RowDelegate(const Theme& theme, QObject* parent)
        : QAbstractItemDelegate(parent), theme_(theme) {}

    QSize sizeHint(const QStyleOptionViewItem& option,
                   const QModelIndex& /*index*/) const override {
        return {option.rect.width(), 48};
    }

    void paint(QPainter* painter,
               const QStyleOptionViewItem& option,
               const QModelIndex& index) const override {
        const Palette& palette = theme_.palette();
        const QRect row = option.rect;
        painter->save();
        if (option.state.testFlag(QStyle::State_Selected)) {
            painter->fillRect(row, palette.raised);
        }
        const QRect inner = row.adjusted(8, 6, -8, -6);
        painter->setFont(theme_.font(TextSize::Body, QFont::DemiBold));
        painter->setPen(palette.text);
        const QString name = index.data().toString();
        painter->drawText(inner, Qt::AlignTop | Qt::AlignLeft, name);
        const int left = painter->fontMetrics().horizontalAdvance(name) + 10;
        painter->setFont(theme_.font(TextSize::Body));
        painter->setPen(palette.warning);
        painter->drawText(inner.adjusted(left, 0, 0, 0),
                          Qt::AlignTop | Qt::AlignLeft,
                          index.data(ReasonRole).toString());
        painter->setFont(theme_.font(TextSize::Small));
        painter->setPen(palette.muted);
        painter->drawText(inner,
                          Qt::AlignBottom | Qt::AlignLeft,
                          painter->fontMetrics().elidedText(
                              index.data(PathRole).toString(), Qt::ElideMiddle, inner.width()));
        painter->setPen(palette.hairline);
        painter->drawLine(row.bottomLeft(), row.bottomRight());
        painter->restore();
    }

private:
    const Theme& theme_;
};

FailureList::FailureList(Session& session, const Theme& theme, QWidget* parent)
    : QWidget(parent), session_(session), theme_(theme) {
    auto* layout = new QVBoxLayout(this);
    layout->setContentsMargins(18, 12, 18, 12);
    layout->setSpacing(8);
    auto* line = new QHBoxLayout();
    title_ = makeChild<QLabel>(this);
    retry_ = makeChild<QPushButton>(this);
    retry_->setText(tr("Try again"));
    retry_->setToolTip(tr("Read the chosen file again; all of them when none is chosen (Ctrl+R)"));
    back_ = makeChild<QPushButton>(this);
    back_->setText(tr("Back to the pictures"));
    back_->setToolTip(tr("Back to the pictures (Escape)"));
    line->addWidget(title_);
    line->addStretch(1);
    line->addWidget(retry_);
    line->addWidget(back_);
    list_ = makeChild<QListView>(this);
    list_->setAccessibleName(tr("files that could not be read"));
    list_->setItemDelegate(new RowDelegate(theme, list_));
    list_->setModel(&session.failures());
    list_->setHorizontalScrollBarPolicy(Qt::ScrollBarAlwaysOff);
    list_->setUniformItemSizes(true);
    layout->addLayout(line);
    layout->addWidget(list_, 1);
    connect(retry_, &QPushButton::clicked, this, &FailureList::retry);
    connect(back_, &QPushButton::clicked, this, &FailureList::closed);
    connect(&session.failures(), &QAbstractItemModel::modelReset, this, &FailureList::showCount);
    connect(&theme, &Theme::changed, this, &FailureList::applyTheme);
    applyTheme();
    showCount();
}

void FailureList::applyTheme() {
    title_->setFont(theme_.font(TextSize::Body, QFont::DemiBold));
}

void FailureList::showCount() {
    const int count = session_.failures().rowCount();
    title_->setText(count == 0 ? tr("Every file could be read.")
                               : tr("%Ln file(s) could not be read", nullptr, count));
    retry_->setEnabled(count > 0);
}

void FailureList::retry() {
    const FailureModel& failures = session_.failures();
    const QModelIndexList chosen = list_->selectionModel()->selectedIndexes();
    std::map<CollectionId, std::vector<std::filesystem::path>> wanted;
    for (int row = 0; row < failures.rowCount(); ++row) {
        if (chosen.isEmpty() || chosen.first().row() == row) {
            const FailureItem& item = failures.itemAt(row);
            wanted[item.collection].push_back(item.path);
        }
    }
    for (auto& [collection, paths] : wanted) {
        session_.bridge().retryFailures(collection, std::move(paths));
    }
}

void FailureList::keyPressEvent(QKeyEvent* event) {
    if (event->key() == Qt::Key_Escape) {
        Q_EMIT closed();
        return;
    }
    QWidget::keyPressEvent(event);
}

}  // namespace bifocal::ui
