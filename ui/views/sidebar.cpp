// SPDX-License-Identifier: Apache-2.0
#include "ui/views/sidebar.h"

#include "ui/bridge/session.h"
#include "ui/models/roles.h"
#include "ui/views/collection_delegate.h"
#include "ui/views/icons.h"
#include "ui/views/make_child.h"
#include "ui/views/theme.h"

#include <QLabel>
#include <QListView>
#include <QLocale>
#include <QMenu>
#include <QPainter>
#include <QPushButton>
#include <QVBoxLayout>

#include <algorithm>

namespace bifocal::ui {

/// The two rings and the name.
class Sidebar::Mark final : public QWidget {
public:
    Mark(const Theme& theme, QWidget* parent) : QWidget(parent), theme_(theme) {
        setFixedHeight(34);
        setAccessibleName(QStringLiteral("Bifocal"));
    }

protected:
    void paintEvent(QPaintEvent* /*event*/) override {
        QPainter painter(this);
        paintMark(painter, QRectF(8, 11, 21, 12), theme_.palette().words, theme_.palette().looks);
        painter.setFont(theme_.font(TextSize::Prompt, QFont::DemiBold));
        painter.setPen(theme_.palette().text);
        painter.drawText(rect().adjusted(38, 0, 0, 0), Qt::AlignVCenter, QStringLiteral("Bifocal"));
    }

private:
    const Theme& theme_;
};

Sidebar::Sidebar(Session& session, const Theme& theme, QWidget* parent)
    : QWidget(parent), session_(session), theme_(theme) {
    setObjectName(QStringLiteral("panel"));
    setAttribute(Qt::WA_StyledBackground);
    auto* layout = new QVBoxLayout(this);
    layout->setContentsMargins(11, 10, 11, 14);
    layout->setSpacing(2);
    mark_ = new Mark(theme, this);
    layout->addWidget(mark_);
    layout->addSpacing(12);
    buildLibrary();
    layout->addWidget(libraryCaption_);
    layout->addWidget(list_);
    layout->addWidget(add_);
    layout->addSpacing(14);
    layout->addWidget(attentionCaption_);
    layout->addWidget(failures_);
    layout->addStretch(1);
    device_ = makeChild<QLabel>(this);
    device_->setObjectName(QStringLiteral("muted"));
    device_->setWordWrap(true);
    device_->setContentsMargins(8, 0, 8, 0);
    layout->addWidget(device_);

    connect(&session, &Session::deviceChanged, this, &Sidebar::showDevice);
    connect(&session.collections(),
            &CollectionModel::failureCountChanged,
            this,
            &Sidebar::showFailureCount);
    connect(&theme, &Theme::changed, this, &Sidebar::applyTheme);
    applyTheme();
    showDevice(session.device());
    showFailureCount(session.collections().failureCount());
}

void Sidebar::buildLibrary() {
    libraryCaption_ = makeChild<QLabel>(this);
    libraryCaption_->setText(tr("Library"));
    attentionCaption_ = makeChild<QLabel>(this);
    attentionCaption_->setText(tr("Attention"));
    for (QLabel* caption : {libraryCaption_, attentionCaption_}) {
        caption->setObjectName(QStringLiteral("muted"));
        caption->setContentsMargins(7, 0, 0, 4);
    }
    list_ = makeChild<QListView>(this);
    list_->setAccessibleName(tr("library"));
    list_->setMouseTracking(true);
    list_->setHorizontalScrollBarPolicy(Qt::ScrollBarAlwaysOff);
    list_->setContextMenuPolicy(Qt::CustomContextMenu);
    auto* delegate = makeChild<CollectionDelegate>(list_, theme_);
    list_->setItemDelegate(delegate);
    list_->setModel(&session_.collections());
    list_->setCurrentIndex(session_.collections().index(0));
    add_ = makeChild<QPushButton>(this);
    add_->setObjectName(QStringLiteral("sideLink"));
    add_->setText(tr("Add folder…"));
    add_->setToolTip(tr("Index a folder of pictures (Ctrl+N)"));
    add_->setCursor(Qt::PointingHandCursor);
    failures_ = makeChild<QPushButton>(this);
    failures_->setObjectName(QStringLiteral("sideLink"));
    failures_->setCursor(Qt::PointingHandCursor);

    connect(add_, &QPushButton::clicked, this, &Sidebar::addFolderWanted);
    connect(failures_, &QPushButton::clicked, this, &Sidebar::failuresWanted);
    connect(delegate, &CollectionDelegate::pauseToggled, this, &Sidebar::togglePauseOf);
    connect(list_, &QListView::customContextMenuRequested, this, &Sidebar::showMenu);
    connect(
        list_->selectionModel(),
        &QItemSelectionModel::currentChanged,
        this,
        [this](const QModelIndex& current) {
            session_.selectCollection(CollectionId{current.data(CollectionIdRole).toULongLong()});
        });
    connect(&session_.collections(), &QAbstractItemModel::rowsInserted, this, &Sidebar::fitList);
    connect(&session_.collections(), &QAbstractItemModel::rowsRemoved, this, &Sidebar::fitList);
    // A row grows while its folder is being scanned.
    connect(&session_.collections(), &QAbstractItemModel::dataChanged, this, &Sidebar::fitList);
    fitList();
}

void Sidebar::fitList() {
    list_->doItemsLayout();
    int height = 4;
    for (int row = 0; row < list_->model()->rowCount(); ++row) {
        height += list_->sizeHintForRow(row);
    }
    list_->setMinimumHeight(std::min(height, 120));
    list_->setMaximumHeight(height);
}

void Sidebar::applyTheme() {
    libraryCaption_->setFont(theme_.font(TextSize::Body));
    attentionCaption_->setFont(theme_.font(TextSize::Body));
    add_->setFont(theme_.font(TextSize::Body));
    failures_->setFont(theme_.font(TextSize::Title));
    device_->setFont(theme_.font(TextSize::Small));
    update();
}

void Sidebar::showDevice(const DeviceItem& device) {
    switch (device.state) {
        case DeviceItem::State::Loading: device_->setText(tr("Loading the models…")); break;
        case DeviceItem::State::Failed:
            device_->setText(tr("No models: nothing to search with"));
            break;
        case DeviceItem::State::Ready:
            device_->setText(QStringLiteral("%1\n%2").arg(device.device, device.why));
            device_->setToolTip(tr("Models: %1\nLicence: %2").arg(device.pack, device.licence));
            break;
    }
}

QString Sidebar::deviceText() const {
    return device_->text();
}

void Sidebar::showFailureCount(qulonglong count) {
    attentionCaption_->setVisible(count > 0);
    failures_->setVisible(count > 0);
    failures_->setText(tr("%Ln could not be read", nullptr, static_cast<int>(count)));
    failures_->setToolTip(tr("Show which files could not be read, and why (Ctrl+Shift+F)"));
}

void Sidebar::togglePauseOf(const QModelIndex& index) {
    const CollectionItem& item = session_.collections().itemAt(index.row());
    if (item.scan == ScanState::Paused) {
        session_.bridge().resumeIndexing(item.id);
    } else if (item.scan != ScanState::Idle) {
        session_.bridge().pauseIndexing(item.id);
    }
}

void Sidebar::togglePause() {
    const CollectionModel& collections = session_.collections();
    const QModelIndex current = list_->currentIndex();
    if (current.isValid() && current.row() > 0 &&
        collections.itemAt(current.row()).scan != ScanState::Idle) {
        togglePauseOf(current);
        return;
    }
    for (int row = 1; row < collections.rowCount(); ++row) {
        if (collections.itemAt(row).scan != ScanState::Idle) {
            togglePauseOf(collections.index(row));
            return;
        }
    }
}

void Sidebar::showScan() {
    const CollectionModel& collections = session_.collections();
    for (int row = 1; row < collections.rowCount(); ++row) {
        if (collections.itemAt(row).scan != ScanState::Idle) {
            list_->scrollTo(collections.index(row));
            list_->setFocus();
            return;
        }
    }
}

void Sidebar::showMenu(const QPoint& position) {
    const QModelIndex index = list_->indexAt(position);
    if (!index.isValid() || index.row() == 0) {
        return;
    }
    const CollectionItem item = session_.collections().itemAt(index.row());
    auto* menu = makeChild<QMenu>(this);
    menu->setAttribute(Qt::WA_DeleteOnClose);
    if (item.scan == ScanState::Idle) {
        menu->addAction(
            tr("Index again"), this, [this, item] { session_.bridge().startIndexing(item.id); });
    } else {
        menu->addAction(item.scan == ScanState::Paused ? tr("Resume") : tr("Pause"),
                        this,
                        [this, row = QPersistentModelIndex(index)] { togglePauseOf(row); });
    }
    menu->addSeparator();
    menu->addAction(tr("Remove from the library (the pictures stay)"), this, [this, item] {
        session_.bridge().removeCollection(item.id);
    });
    menu->popup(list_->viewport()->mapToGlobal(position));
}

}  // namespace bifocal::ui
