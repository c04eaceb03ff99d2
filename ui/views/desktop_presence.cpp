// SPDX-License-Identifier: Apache-2.0
#include "ui/views/desktop_presence.h"

#include "ui/bridge/session.h"
#include "ui/views/capture.h"
#include "ui/views/icons.h"
#include "ui/views/keys_dialog.h"
#include "ui/views/main_window.h"
#include "ui/views/say_and_point.h"

#include <QApplication>
#include <QEvent>
#include <QMenu>
#include <QSettings>
#include <QSystemTrayIcon>

#include <algorithm>
#include <utility>

namespace bifocal::ui {

namespace {

const QString kCapture = QStringLiteral("capture");
const QString kSayAndPoint = QStringLiteral("say-and-point");
const QString kStays = QStringLiteral("tray/stays");

QString settingOf(const QString& id) {
    return QStringLiteral("keys/") + id;
}

}  // namespace

DesktopPresence::DesktopPresence(MainWindow& window,
                                 std::unique_ptr<GlobalKeys> keys,
                                 QSettings& settings)
    : window_(window), source_(std::move(keys)), settings_(settings) {
    QApplication::setQuitOnLastWindowClosed(false);  // the tray has a say
    window_.installEventFilter(this);
    connect(&window_, &MainWindow::quitWanted, this, &DesktopPresence::quit);
    connect(&window_, &MainWindow::keysWanted, this, &DesktopPresence::showKeysDialog);
    buildTray();
    keys_ = {{kCapture,
              tr("Capture part of the screen"),
              QKeySequence(QStringLiteral("Meta+Alt+S")),
              {}},
             {kSayAndPoint,
              tr("Say and point: hold it, drag a region, speak"),
              QKeySequence(QStringLiteral("Meta+Alt+Space")),
              {}}};
    for (Key& key : keys_) {
        const QVariant wanted = settings_.value(settingOf(key.id));
        key.keys = wanted.isValid() ? QKeySequence(wanted.toString()) : key.keys;
    }
    connect(source_.get(), &GlobalKeys::bound, this, &DesktopPresence::onBound);
    connect(source_.get(), &GlobalKeys::failed, this, &DesktopPresence::onFailed);
    connect(source_.get(), &GlobalKeys::pressed, this, &DesktopPresence::onPressed);
    connect(source_.get(), &GlobalKeys::released, this, &DesktopPresence::onReleased);
    bind();
}

DesktopPresence::~DesktopPresence() {
    source_->disconnect(this);
}

void DesktopPresence::buildTray() {
    if (!QSystemTrayIcon::isSystemTrayAvailable()) {
        return;
    }
    menu_ = std::make_unique<QMenu>();
    connect(menu_->addAction(tr("Show Bifocal")),
            &QAction::triggered,
            &window_,
            &MainWindow::comeForward);
    connect(menu_->addAction(tr("Capture part of the screen")), &QAction::triggered, this, [this] {
        window_.capture().begin(Capture::What::Region);
    });
    connect(menu_->addAction(tr("Say and point")), &QAction::triggered, this, [this] {
        window_.sayAndPoint().begin(SayAndPoint::Ending::ByPause);
    });
    menu_->addSeparator();
    stays_ = menu_->addAction(tr("Stay here when the window is closed"));
    stays_->setCheckable(true);
    stays_->setChecked(settings_.value(kStays, false).toBool());
    connect(
        stays_, &QAction::toggled, this, [this](bool stays) { settings_.setValue(kStays, stays); });
    connect(menu_->addAction(tr("Keys of the whole desktop…")),
            &QAction::triggered,
            this,
            &DesktopPresence::showKeysDialog);
    menu_->addSeparator();
    connect(menu_->addAction(tr("Quit")), &QAction::triggered, this, &DesktopPresence::quit);

    tray_ = std::make_unique<QSystemTrayIcon>(applicationIcon());
    tray_->setToolTip(QStringLiteral("Bifocal"));
    tray_->setContextMenu(menu_.get());
    connect(tray_.get(), &QSystemTrayIcon::activated, this, [this](auto reason) {
        if (reason == QSystemTrayIcon::Trigger) {
            window_.comeForward();
        }
    });
    tray_->show();
}

bool DesktopPresence::staysInTray() const {
    return stays_ != nullptr && stays_->isChecked();
}

void DesktopPresence::setStaysInTray(bool stays) {
    if (stays_ != nullptr) {
        stays_->setChecked(stays);
    }
}

void DesktopPresence::quit() {
    isQuitting_ = true;
    window_.close();
}

bool DesktopPresence::eventFilter(QObject* watched, QEvent* event) {
    if (watched == &window_ && event->type() == QEvent::Close) {
        if (staysInTray() && !isQuitting_) {
            window_.hide();
            event->ignore();
            return true;
        }
        QMetaObject::invokeMethod(
            qApp, [] { QCoreApplication::quit(); }, Qt::QueuedConnection);
    }
    return QObject::eventFilter(watched, event);
}

void DesktopPresence::setKeys(const QList<QKeySequence>& wanted) {
    for (int i = 0; i < std::min(keys_.size(), wanted.size()); ++i) {
        keys_[i].keys = wanted[i];
        settings_.setValue(settingOf(keys_[i].id), wanted[i].toString(QKeySequence::PortableText));
    }
    bind();
}

void DesktopPresence::bind() {
    QList<GlobalKey> wanted;
    for (Key& key : keys_) {
        key.isBound = false;
        key.state = key.keys.isEmpty() ? tr("none") : QString();
        if (!key.keys.isEmpty()) {
            wanted.append({key.id, key.name, key.keys});
        }
    }
    source_->bind(wanted);
    Q_EMIT keysChanged();
}

DesktopPresence::Key* DesktopPresence::find(const QString& id) {
    const auto found =
        std::find_if(keys_.begin(), keys_.end(), [&id](const Key& key) { return key.id == id; });
    return found == keys_.end() ? nullptr : &*found;
}

void DesktopPresence::onBound(const QString& id, const QString& words) {
    if (Key* key = find(id)) {
        key->isBound = true;
        key->state = words.isEmpty() ? tr("works") : tr("works: %1").arg(words);
        Q_EMIT keysChanged();
    }
}

void DesktopPresence::onFailed(const QString& id, KeyFault fault) {
    Key* const key = find(id);
    if (key == nullptr) {
        return;
    }
    const QString keys = key->keys.toString(QKeySequence::NativeText);
    switch (fault) {
        case KeyFault::Taken: key->state = tr("%1 belongs to another program").arg(keys); break;
        case KeyFault::Unknown: key->state = tr("this keyboard has no %1").arg(keys); break;
        case KeyFault::Refused: key->state = tr("the desktop did not give %1").arg(keys); break;
        case KeyFault::Unavailable:
            key->state =
                tr("this desktop gives programs no keys; let one of its own run "
                   "bifocal --capture");
            break;
    }
    Q_EMIT keysChanged();
    if (fault == KeyFault::Taken || fault == KeyFault::Refused) {
        MessageItem message;
        message.text = tr("%1: %2.").arg(key->name, key->state);
        message.action = MessageItem::Action::ChooseKeys;
        message.actionText = tr("Choose another…");
        window_.say(message);
    }
}

void DesktopPresence::onPressed(const QString& id) {
    if (id == kCapture) {
        window_.capture().begin(Capture::What::Region);
    } else if (id == kSayAndPoint) {
        window_.sayAndPoint().begin(SayAndPoint::Ending::ByRelease);
    }
}

void DesktopPresence::onReleased(const QString& id) {
    if (id == kSayAndPoint) {
        window_.sayAndPoint().release();
    }
}

void DesktopPresence::showKeysDialog() {
    auto* dialog = new KeysDialog(*this, &window_);
    dialog->setAttribute(Qt::WA_DeleteOnClose);
    dialog->open();
}

}  // namespace bifocal::ui
