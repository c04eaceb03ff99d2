// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <QLocalServer>
#include <QObject>
#include <QStringList>

#include <cstdint>
#include <filesystem>
#include <optional>

namespace bifocal::app {

/// What one start of the program asks of the one that runs. Threads: value.
struct Errand {
    enum class Kind : std::uint8_t { Show = 1, Capture, CaptureScreen, CaptureAgain, SayAndPoint };

    Kind kind = Kind::Show;
    int delaySeconds = 0;  ///< of a capture
    QStringList folders;   ///< to be added and indexed

    friend bool operator==(const Errand&, const Errand&) = default;
};

/// One window for each library: the first program that opens a library listens on a socket that
/// only its user reaches; the next one tells it what is wanted, and ends. Threads: gui.
class SingleInstance final : public QObject {
    Q_OBJECT

public:
    explicit SingleInstance(const std::filesystem::path& library);

    enum class Answer : std::uint8_t {
        Nobody = 1,  ///< no program has the library open
        Taken,
        Silence,  ///< one has it and does not answer
    };
    /// Asks the running program. Blocks for kPatienceMs at most.
    Answer handOver(const Errand& errand) const;

    /// Listens; false when that is not possible, as when another program was faster.
    bool listen();

    static constexpr int kPatienceMs = 3000;

Q_SIGNALS:
    void called(const bifocal::app::Errand& errand);

private:
    void receive();

    const QString name_;
    QLocalServer server_;
};

}  // namespace bifocal::app
