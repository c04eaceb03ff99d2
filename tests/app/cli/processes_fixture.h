// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "tests/app/cli/cli_fixture.h"

#include <csignal>
#include <cstddef>
#include <functional>
#include <memory>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>

namespace bifocal::test {

/// An indexing run that can be watched and stopped.
class CliProcessesTest : public CliPackTest {
protected:
    std::filesystem::path pictures() const { return home_ / "pictures"; }

    /// An indexing run whose progress line can be read.
    std::unique_ptr<Process> startIndexing() const {
        return std::make_unique<Process>(
            command({"index", pictures().string(), "--library", library()}),
            environment(),
            ErrorStream::Terminal);
    }

    void expectClean(std::size_t pictureCount) const {
        const nlohmann::json checked = json({"doctor", "--library", library(), "--vectors", "all"});
        EXPECT_EQ(checked["clean"], true) << checked;
        EXPECT_EQ(checked["pictures"], pictureCount);
    }
};

/// The last "N of M" that a progress line has shown.
inline std::optional<std::size_t> doneOf(const std::string& line) {
    const std::size_t of = line.rfind(" of ");
    if (of == std::string::npos) {
        return std::nullopt;
    }
    const std::size_t begin = line.find_last_not_of("0123456789", of - 1) + 1;
    return begin < of ? std::optional<std::size_t>(std::stoul(line.substr(begin, of - begin)))
                      : std::nullopt;
}

inline std::function<bool(const std::string&)> shows(std::size_t doneCount) {
    return [doneCount](const std::string& text) {
        const auto done = doneOf(text);
        return done && *done >= doneCount;
    };
}

/// Kills `killCount` indexing runs, each a little further on, and lets the last one end.
class CliCrashTest : public CliProcessesTest {
protected:
    void killAndRecover(std::size_t killCount, std::size_t pictureCount) {
        writeShapes(pictures(), 0, pictureCount);
        for (std::size_t i = 0; i < killCount; ++i) {
            const auto indexing = startIndexing();
            ASSERT_TRUE(indexing->awaitError(shows(1 + i * pictureCount / (killCount + 1))));
            indexing->signal(SIGKILL);
            ASSERT_EQ(indexing->wait().code, 128 + SIGKILL);
        }
        const nlohmann::json last = index(pictures());
        EXPECT_EQ(last["failed"].size(), 0U);
        expectClean(pictureCount);
    }
};

}  // namespace bifocal::test
