// SPDX-License-Identifier: Apache-2.0
#include "app/gui/single_instance.h"

#include <QCryptographicHash>
#include <QDir>
#include <QElapsedTimer>
#include <QJsonArray>
#include <QJsonDocument>
#include <QJsonObject>
#include <QLocalSocket>
#include <QStandardPaths>

#include <algorithm>
#include <array>
#include <string>
#include <system_error>
#include <utility>

namespace bifocal::app {

namespace {

constexpr qint64 kLongestErrand = 1 << 20;
const QByteArray kTaken("taken\n");

constexpr std::array<std::pair<Errand::Kind, QLatin1String>, 5> kKinds{{
    {Errand::Kind::Show, QLatin1String("show")},
    {Errand::Kind::Capture, QLatin1String("capture")},
    {Errand::Kind::CaptureScreen, QLatin1String("capture-screen")},
    {Errand::Kind::CaptureAgain, QLatin1String("capture-again")},
    {Errand::Kind::SayAndPoint, QLatin1String("say-and-point")},
}};

/// The same for every way to write the library's path; short, for the paths of sockets are.
QString socketOf(const std::filesystem::path& library) {
    std::error_code ignored;
    const std::string whole = std::filesystem::weakly_canonical(library, ignored).string();
    const QByteArray digest =
        QCryptographicHash::hash(QByteArray::fromStdString(whole), QCryptographicHash::Sha256)
            .toHex()
            .left(16);
    const QString folder = QStandardPaths::writableLocation(QStandardPaths::RuntimeLocation);
    return QStringLiteral("%1/bifocal-%2")
        .arg(folder.isEmpty() ? QDir::tempPath() : folder, QString::fromLatin1(digest));
}

/// One line of JSON.
QByteArray write(const Errand& errand) {
    const auto* kind = std::find_if(kKinds.begin(), kKinds.end(), [&errand](const auto& known) {
        return known.first == errand.kind;
    });
    return QJsonDocument(
               QJsonObject{{QStringLiteral("errand"), QString(kind->second)},
                           {QStringLiteral("delay"), errand.delaySeconds},
                           {QStringLiteral("folders"), QJsonArray::fromStringList(errand.folders)}})
               .toJson(QJsonDocument::Compact) +
           '\n';
}

std::optional<Errand> read(const QByteArray& line) {
    const QJsonObject object = QJsonDocument::fromJson(line).object();
    const QString name = object.value(QStringLiteral("errand")).toString();
    const auto* kind = std::find_if(
        kKinds.begin(), kKinds.end(), [&name](const auto& known) { return known.second == name; });
    if (kind == kKinds.end()) {
        return std::nullopt;
    }
    Errand errand;
    errand.kind = kind->first;
    errand.delaySeconds = object.value(QStringLiteral("delay")).toInt();
    for (const QJsonValue folder : object.value(QStringLiteral("folders")).toArray()) {
        errand.folders.append(folder.toString());
    }
    return errand;
}

}  // namespace

SingleInstance::SingleInstance(const std::filesystem::path& library) : name_(socketOf(library)) {
    server_.setSocketOptions(QLocalServer::UserAccessOption);
    connect(&server_, &QLocalServer::newConnection, this, &SingleInstance::receive);
}

SingleInstance::Answer SingleInstance::handOver(const Errand& errand) const {
    QLocalSocket socket;
    socket.connectToServer(name_);
    if (!socket.waitForConnected(kPatienceMs)) {
        return Answer::Nobody;
    }
    QElapsedTimer clock;
    clock.start();
    socket.write(write(errand));
    while (!socket.canReadLine()) {
        const auto left = static_cast<int>(kPatienceMs - clock.elapsed());
        if (left <= 0 || !socket.waitForReadyRead(left)) {
            return Answer::Silence;
        }
    }
    return socket.readLine() == kTaken ? Answer::Taken : Answer::Silence;
}

bool SingleInstance::listen() {
    // A socket for one user is put in the place of whatever is there; so who is there is asked
    // before. A program that was killed leaves its socket, and nobody answers.
    QLocalSocket socket;
    socket.connectToServer(name_);
    if (socket.waitForConnected(kPatienceMs)) {
        return false;
    }
    QLocalServer::removeServer(name_);
    return server_.listen(name_);
}

void SingleInstance::receive() {
    while (QLocalSocket* const socket = server_.nextPendingConnection()) {
        connect(socket, &QLocalSocket::disconnected, socket, &QObject::deleteLater);
        const auto take = [this, socket] {
            if (socket->bytesAvailable() > kLongestErrand) {
                socket->abort();
            }
            if (!socket->canReadLine()) {
                return;
            }
            if (const auto errand = read(socket->readLine(kLongestErrand))) {
                socket->write(kTaken);
                socket->flush();
                Q_EMIT called(*errand);
            }
            socket->disconnectFromServer();
        };
        connect(socket, &QLocalSocket::readyRead, this, take);
        take();
    }
}

}  // namespace bifocal::app
