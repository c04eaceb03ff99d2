// SPDX-License-Identifier: Apache-2.0
#include "app/gui/single_instance.h"

#include <QDir>
#include <QFileInfo>
#include <QLocalServer>
#include <QLocalSocket>
#include <QSignalSpy>
#include <QTemporaryDir>
#include <QTest>

#include <gtest/gtest.h>

#include <algorithm>
#include <future>

#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

namespace bifocal::app {
namespace {

using Answer = SingleInstance::Answer;

/// What a program that was killed leaves behind: a socket at which nobody listens.
void leaveSocket(const QString& path) {
    const int socket = ::socket(AF_UNIX, SOCK_STREAM, 0);
    sockaddr_un address{};
    address.sun_family = AF_UNIX;
    const QByteArray name = QFile::encodeName(path);
    ASSERT_LT(static_cast<std::size_t>(name.size()), sizeof(address.sun_path));
    std::copy(name.begin(), name.end(), address.sun_path);
    EXPECT_EQ(::bind(socket, reinterpret_cast<sockaddr*>(&address), sizeof(address)), 0);
    ::close(socket);
}

class SingleInstanceTest : public testing::Test {
protected:
    SingleInstanceTest() { EXPECT_EQ(qgetenv("XDG_RUNTIME_DIR"), folder_.path().toUtf8()); }
    ~SingleInstanceTest() override {
        if (before_.isNull()) {
            qunsetenv("XDG_RUNTIME_DIR");
        } else {
            qputenv("XDG_RUNTIME_DIR", before_);
        }
    }

    /// What a second start of the program is told.
    Answer ask(const Errand& errand, const std::filesystem::path& library = "/pictures/library") {
        auto answer = std::async(std::launch::async,
                                 [&] { return SingleInstance(library).handOver(errand); });
        while (answer.wait_for(std::chrono::milliseconds(1)) != std::future_status::ready) {
            QCoreApplication::processEvents();
        }
        return answer.get();
    }
    QStringList sockets() const {
        return QDir(folder_.path()).entryList(QDir::System | QDir::Files);
    }

    QTemporaryDir folder_;
    const QByteArray before_ = qgetenv("XDG_RUNTIME_DIR");
    const bool isSet_ = qputenv("XDG_RUNTIME_DIR", folder_.path().toUtf8());  // before first_
    SingleInstance first_{"/pictures/library"};
    QSignalSpy called_{&first_, &SingleInstance::called};
};

TEST_F(SingleInstanceTest, TheFirstOneHearsWhatTheSecondWants) {
    EXPECT_EQ(ask({}), Answer::Nobody);
    ASSERT_TRUE(first_.listen());
    const Errand errand{Errand::Kind::CaptureAgain, 3, {QStringLiteral("/pictures/new é\n")}};
    EXPECT_EQ(ask(errand), Answer::Taken);
    ASSERT_EQ(called_.count(), 1);
    EXPECT_EQ(called_[0][0].value<Errand>(), errand);
}

TEST_F(SingleInstanceTest, EveryErrandArrivesAsItWasSent) {
    ASSERT_TRUE(first_.listen());
    for (const Errand::Kind kind : {Errand::Kind::Show,
                                    Errand::Kind::Capture,
                                    Errand::Kind::CaptureScreen,
                                    Errand::Kind::CaptureAgain,
                                    Errand::Kind::SayAndPoint}) {
        EXPECT_EQ(ask({kind, 0, {}}), Answer::Taken);
        EXPECT_EQ(called_.takeLast()[0].value<Errand>().kind, kind);
    }
}

TEST_F(SingleInstanceTest, TheSameLibraryIsTheSameHoweverItIsWritten) {
    ASSERT_TRUE(first_.listen());
    EXPECT_EQ(ask({}, "/pictures/other/../library"), Answer::Taken);
    EXPECT_EQ(ask({}, "/pictures/other"), Answer::Nobody);
}

TEST_F(SingleInstanceTest, OnlyTheUserReachesIt) {
    ASSERT_TRUE(first_.listen());
    ASSERT_EQ(sockets().size(), 1);
    const auto others = QFile::ReadGroup | QFile::WriteGroup | QFile::ReadOther | QFile::WriteOther;
    EXPECT_FALSE(QFileInfo(folder_.filePath(sockets()[0])).permissions() & others);
}

TEST_F(SingleInstanceTest, TheSocketOfAKilledProgramIsTakenOver) {
    QString name;
    {
        SingleInstance gone("/pictures/library");
        ASSERT_TRUE(gone.listen());
        name = folder_.filePath(sockets()[0]);
    }
    leaveSocket(name);
    ASSERT_EQ(sockets().size(), 1);
    EXPECT_EQ(ask({}), Answer::Nobody);
    ASSERT_TRUE(first_.listen());
    EXPECT_EQ(ask({}), Answer::Taken);
}

TEST_F(SingleInstanceTest, TheSecondOneThatListensIsTold) {
    ASSERT_TRUE(first_.listen());
    SingleInstance third("/pictures/library");
    EXPECT_FALSE(third.listen());
}

TEST_F(SingleInstanceTest, NonsenseIsNotAnErrand) {
    ASSERT_TRUE(first_.listen());
    for (const QByteArray& line : {QByteArray("\n"),
                                   QByteArray("{\"errand\":\"dance\"}\n"),
                                   QByteArray("[1,2]\n"),
                                   QByteArray("\xff\xfe\n")}) {
        QLocalSocket socket;
        socket.connectToServer(folder_.filePath(sockets()[0]));
        socket.write(line);
        EXPECT_TRUE(
            QTest::qWaitFor([&] { return socket.state() == QLocalSocket::UnconnectedState; }));
        EXPECT_TRUE(socket.readAll().isEmpty());
    }
    EXPECT_EQ(called_.count(), 0);
}

}  // namespace
}  // namespace bifocal::app
