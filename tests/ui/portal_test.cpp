// SPDX-License-Identifier: Apache-2.0
#include "ui/desktop/portal_keys.h"
#include "ui/desktop/portal_screen_source.h"

#include <QDBusArgument>
#include <QDBusConnection>
#include <QDBusMessage>
#include <QDBusVirtualObject>
#include <QFile>
#include <QGuiApplication>
#include <QProcess>
#include <QScreen>
#include <QSignalSpy>
#include <QTemporaryDir>
#include <QTest>
#include <QTimer>
#include <QUrl>

#include <gtest/gtest.h>

#include <memory>

namespace bifocal::ui {
namespace {

constexpr std::chrono::milliseconds kShort(300);
const QString kDesktopPath = QStringLiteral("/org/freedesktop/portal/desktop");

/// A desktop portal that does what the test wants, on a bus of its own.
class PlayedPortal final : public QDBusVirtualObject {
public:
    enum class Manner : std::uint8_t { Answers = 1, Refuses, Hangs, ThrowsError, ChoosesOwnPath };

    explicit PlayedPortal(QDBusConnection bus) : bus_(std::move(bus)) {}

    QString introspect(const QString& /*path*/) const override { return {}; }

    bool handleMessage(const QDBusMessage& message, const QDBusConnection& /*bus*/) override {
        calls.append(message.member());
        if (message.member() == QLatin1String("Close")) {
            return true;
        }
        if (manner == Manner::ThrowsError) {
            bus_.send(message.createErrorReply(QDBusError::AccessDenied, QStringLiteral("no")));
            return true;
        }
        const QVariantMap options = qdbus_cast<QVariantMap>(message.arguments().last());
        const QString token = options.value(QStringLiteral("handle_token")).toString();
        const QString sender = message.service().mid(1).replace(QLatin1Char('.'), QLatin1Char('_'));
        QString request = QStringLiteral("%1/request/%2/%3").arg(kDesktopPath, sender, token);
        if (manner == Manner::ChoosesOwnPath) {
            request = kDesktopPath + QStringLiteral("/request/old");
        }
        bus_.send(message.createReply(QVariant::fromValue(QDBusObjectPath(request))));
        if (manner != Manner::Hangs) {
            QDBusMessage response =
                QDBusMessage::createSignal(request,
                                           QStringLiteral("org.freedesktop.portal.Request"),
                                           QStringLiteral("Response"));
            response << (manner == Manner::Refuses ? 1U : 0U) << resultsOf(message, options);
            // Such a portal is only heard when it takes its time: nobody knows its path before.
            const int wait = manner == Manner::ChoosesOwnPath ? 50 : 0;
            QTimer::singleShot(wait, this, [this, response] { bus_.send(response); });
        }
        return true;
    }

    void signalKey(const QString& name, const QString& id) {
        QDBusMessage signal = QDBusMessage::createSignal(
            kDesktopPath, QStringLiteral("org.freedesktop.portal.GlobalShortcuts"), name);
        signal << QVariant::fromValue(QDBusObjectPath(session())) << id << qulonglong(1)
               << QVariantMap();
        bus_.send(signal);
    }

    Manner manner = Manner::Answers;
    QString uri;
    QString refusedKey;  ///< of the shortcuts
    QStringList calls;
    QStringList triggers;

private:
    static QString session() { return kDesktopPath + QStringLiteral("/session/played"); }

    QVariantMap resultsOf(const QDBusMessage& message, const QVariantMap& /*options*/) {
        if (message.member() == QLatin1String("CreateSession")) {
            return {{QStringLiteral("session_handle"), session()}};
        }
        if (message.member() != QLatin1String("BindShortcuts")) {
            return {{QStringLiteral("uri"), uri}};
        }
        QList<PortalShortcut> bound;
        for (PortalShortcut shortcut : qdbus_cast<QList<PortalShortcut>>(message.arguments()[1])) {
            const QString trigger =
                shortcut.properties.value(QStringLiteral("preferred_trigger")).toString();
            triggers.append(trigger);
            if (shortcut.id != refusedKey) {
                shortcut.properties = {
                    {QStringLiteral("trigger_description"), QStringLiteral("Press ") + trigger}};
                bound.append(shortcut);
            }
        }
        return {{QStringLiteral("shortcuts"), QVariant::fromValue(bound)}};
    }

    QDBusConnection bus_;
};

class PortalTest : public testing::Test {
protected:
    void SetUp() override {
        daemon_.start(QStringLiteral("dbus-daemon"),
                      {QStringLiteral("--session"),
                       QStringLiteral("--nofork"),
                       QStringLiteral("--print-address")});
        ASSERT_TRUE(daemon_.waitForReadyRead()) << "dbus-daemon did not start";
        const QString address = QString::fromLatin1(daemon_.readLine()).trimmed();
        desktop_ = QDBusConnection::connectToBus(address, QStringLiteral("desktop"));
        ours_ = QDBusConnection::connectToBus(address, QStringLiteral("ours"));
        portal_ = std::make_unique<PlayedPortal>(desktop_);
        ASSERT_TRUE(
            desktop_.registerVirtualObject(kDesktopPath, portal_.get(), QDBusConnection::SubPath));
        ASSERT_TRUE(desktop_.registerService(QStringLiteral("org.freedesktop.portal.Desktop")));
    }
    void TearDown() override {
        QDBusConnection::disconnectFromBus(QStringLiteral("ours"));
        QDBusConnection::disconnectFromBus(QStringLiteral("desktop"));
        daemon_.kill();
        daemon_.waitForFinished();
    }

    /// Makes the file that the portal will name; of the desktop's size at twice its scale.
    QString makeScreenshot() {
        const QSize size = QGuiApplication::primaryScreen()->virtualGeometry().size() * 2;
        QImage image(size, QImage::Format_RGB32);
        image.fill(Qt::darkGreen);
        image.setPixel(size.width() - 1, size.height() - 1, qRgb(1, 2, 3));
        const QString path = folder_.filePath(QStringLiteral("shot.png"));
        EXPECT_TRUE(image.save(path));
        return path;
    }
    /// The fault of one grab; none when it gave a picture, which is in screens_.
    std::optional<CaptureFault> grab() {
        PortalScreenSource source(ours_, kShort);
        QSignalSpy grabbed(&source, &ScreenSource::grabbed);
        QSignalSpy failed(&source, &ScreenSource::failed);
        source.grab();
        EXPECT_TRUE(QTest::qWaitFor([&] { return grabbed.count() + failed.count() > 0; }));
        QTest::qWait(20);  // nothing more may come
        EXPECT_EQ(grabbed.count() + failed.count(), 1);
        if (grabbed.isEmpty()) {
            return failed[0][0].value<CaptureFault>();
        }
        screens_ = grabbed[0][0].value<QList<ScreenImage>>();
        return std::nullopt;
    }

    QProcess daemon_;
    QDBusConnection desktop_{QString()};
    QDBusConnection ours_{QString()};
    std::unique_ptr<PlayedPortal> portal_;
    QTemporaryDir folder_;
    QList<ScreenImage> screens_;
};

using Manner = PlayedPortal::Manner;

TEST_F(PortalTest, ThePictureOfTheDesktopComesAtItsOwnScaleAndItsFileGoes) {
    PortalScreenSource source(ours_, kShort);
    QSignalSpy grabbed(&source, &ScreenSource::grabbed);
    source.grab();
    const QString path = makeScreenshot();
    portal_->uri = QUrl::fromLocalFile(path).toString();
    ASSERT_TRUE(grabbed.wait());
    screens_ = grabbed[0][0].value<QList<ScreenImage>>();
    ASSERT_EQ(screens_.size(), 1);
    EXPECT_EQ(screens_[0].geometry, QGuiApplication::primaryScreen()->geometry());
    EXPECT_EQ(screens_[0].image.size(), screens_[0].geometry.size() * 2);
    EXPECT_EQ(screens_[0].pixels.size(), screens_[0].image.size());
    EXPECT_EQ(screens_[0].image.pixel(screens_[0].pixels.bottomRight()), qRgb(1, 2, 3));
    EXPECT_FALSE(QFile::exists(path));
}

TEST_F(PortalTest, APortalThatChoosesItsOwnPathIsHeardToo) {
    portal_->manner = Manner::ChoosesOwnPath;
    portal_->uri = QUrl::fromLocalFile(makeScreenshot()).toString();
    EXPECT_EQ(grab(), std::nullopt);
}

TEST_F(PortalTest, ARefusalAnErrorAndAHangAreTold) {
    portal_->manner = Manner::Refuses;
    EXPECT_EQ(grab(), CaptureFault::Refused);
    portal_->manner = Manner::ThrowsError;
    EXPECT_EQ(grab(), CaptureFault::Refused);
    portal_->manner = Manner::Hangs;
    EXPECT_EQ(grab(), CaptureFault::NoAnswer);
}

TEST_F(PortalTest, WithoutAPortalTheDesktopHasNoWay) {
    ASSERT_TRUE(desktop_.unregisterService(QStringLiteral("org.freedesktop.portal.Desktop")));
    EXPECT_EQ(grab(), CaptureFault::Unavailable);
}

TEST_F(PortalTest, AWrongFileIsNoPictureOfTheScreenAndStaysWhereItIs) {
    const QString words = folder_.filePath(QStringLiteral("words.txt"));
    QFile file(words);
    ASSERT_TRUE(file.open(QIODevice::WriteOnly));
    file.write("these are words");
    file.close();
    const QString photo = folder_.filePath(QStringLiteral("photo.png"));
    ASSERT_TRUE(QImage(30, 400, QImage::Format_RGB32).save(photo));
    for (const QString& uri :
         {QUrl::fromLocalFile(words).toString(),
          QUrl::fromLocalFile(photo).toString(),
          QUrl::fromLocalFile(folder_.path()).toString(),
          QUrl::fromLocalFile(folder_.filePath(QStringLiteral("no"))).toString(),
          QStringLiteral("https://example.org/shot.png"),
          QString()}) {
        portal_->uri = uri;
        EXPECT_EQ(grab(), CaptureFault::WrongAnswer) << uri.toStdString();
    }
    EXPECT_TRUE(QFile::exists(words));
    EXPECT_TRUE(QFile::exists(photo));
}

TEST_F(PortalTest, AnOldPictureThatHappensToFitIsNotRemoved) {
    const QString path = makeScreenshot();
    QFile file(path);
    ASSERT_TRUE(file.open(QIODevice::ReadWrite));
    ASSERT_TRUE(file.setFileTime(QDateTime::currentDateTime().addDays(-1),
                                 QFileDevice::FileModificationTime));
    file.close();
    portal_->uri = QUrl::fromLocalFile(path).toString();
    EXPECT_EQ(grab(), std::nullopt);
    EXPECT_TRUE(QFile::exists(path));
}

TEST_F(PortalTest, ACancelledGrabSaysNothingMore) {
    portal_->uri = QUrl::fromLocalFile(makeScreenshot()).toString();
    PortalScreenSource source(ours_, kShort);
    QSignalSpy grabbed(&source, &ScreenSource::grabbed);
    QSignalSpy failed(&source, &ScreenSource::failed);
    source.grab();
    source.cancel();
    QTest::qWait(static_cast<int>(kShort.count()) + 100);
    EXPECT_EQ(grabbed.count() + failed.count(), 0);
}

class PortalKeysTest : public PortalTest {
protected:
    void bind() {
        keys_ = std::make_unique<PortalKeys>(ours_, kShort);
        QObject::connect(
            keys_.get(), &GlobalKeys::bound, keys_.get(), [this](auto& id, auto& words) {
                happened_.append(QStringLiteral("bound %1 %2").arg(id, words));
            });
        QObject::connect(
            keys_.get(), &GlobalKeys::failed, keys_.get(), [this](auto& id, KeyFault fault) {
                happened_.append(
                    QStringLiteral("failed %1 %2").arg(id).arg(static_cast<int>(fault)));
            });
        QObject::connect(keys_.get(), &GlobalKeys::pressed, keys_.get(), [this](auto& id) {
            happened_.append(QStringLiteral("pressed ") + id);
        });
        QObject::connect(keys_.get(), &GlobalKeys::released, keys_.get(), [this](auto& id) {
            happened_.append(QStringLiteral("released ") + id);
        });
        keys_->bind({{QStringLiteral("capture"),
                      QStringLiteral("Capture"),
                      QKeySequence(QStringLiteral("Ctrl+Alt+S"))},
                     {QStringLiteral("say"),
                      QStringLiteral("Say"),
                      QKeySequence(QStringLiteral("Meta+Space"))}});
    }
    void expect(const QStringList& events) {
        EXPECT_TRUE(QTest::qWaitFor([&] { return happened_.size() >= events.size(); }));
        EXPECT_EQ(happened_, events) << happened_.join(QStringLiteral("; ")).toStdString();
        happened_.clear();
    }

    std::unique_ptr<PortalKeys> keys_;
    QStringList happened_;
};

TEST_F(PortalKeysTest, KeysAreBoundInOneSessionAndHeldKeysRepeatNothing) {
    bind();
    expect({QStringLiteral("bound capture Press CTRL+ALT+s"),
            QStringLiteral("bound say Press LOGO+space")});
    portal_->signalKey(QStringLiteral("Activated"), QStringLiteral("say"));
    portal_->signalKey(QStringLiteral("Activated"), QStringLiteral("say"));
    portal_->signalKey(QStringLiteral("Deactivated"), QStringLiteral("say"));
    portal_->signalKey(QStringLiteral("Deactivated"), QStringLiteral("capture"));
    portal_->signalKey(QStringLiteral("Activated"), QStringLiteral("capture"));
    expect({QStringLiteral("pressed say"),
            QStringLiteral("released say"),
            QStringLiteral("pressed capture")});
    keys_.reset();
    EXPECT_TRUE(
        QTest::qWaitFor([this] { return portal_->calls.contains(QStringLiteral("Close")); }));
}

TEST_F(PortalKeysTest, AKeyThatTheDesktopKeepsIsToldAlone) {
    portal_->refusedKey = QStringLiteral("say");
    bind();
    expect({QStringLiteral("bound capture Press CTRL+ALT+s"),
            QStringLiteral("failed say %1").arg(static_cast<int>(KeyFault::Refused))});
}

TEST_F(PortalKeysTest, ARefusalAndAHangAreToldForEachKey) {
    for (const auto& [manner, fault] : {std::pair(Manner::Refuses, KeyFault::Refused),
                                        std::pair(Manner::Hangs, KeyFault::Unavailable)}) {
        portal_->manner = manner;
        bind();
        expect({QStringLiteral("failed capture %1").arg(static_cast<int>(fault)),
                QStringLiteral("failed say %1").arg(static_cast<int>(fault))});
    }
}

}  // namespace
}  // namespace bifocal::ui
