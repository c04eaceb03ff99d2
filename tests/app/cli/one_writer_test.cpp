// SPDX-License-Identifier: Apache-2.0
// The window and the command line on one library, both of them indexing, while questions are asked.
#include "tests/app/cli/processes_fixture.h"

#include <csignal>
#include <memory>
#include <nlohmann/json.hpp>

namespace bifocal::test {
namespace {

class OneWriterTest : public CliProcessesTest {
protected:
    std::unique_ptr<Process> startWindow() const {
        Process::Environment settings = environment();
        settings.emplace_back("QT_QPA_PLATFORM", "offscreen");
        return std::make_unique<Process>(
            std::vector<std::string>{
                BIFOCAL_WINDOW, "--library", library(), "--index", pictures().string()},
            settings);
    }
    std::unique_ptr<Process> startCommand() const {
        return std::make_unique<Process>(command({"index",
                                                  pictures().string(),
                                                  (home_ / "more").string(),
                                                  "--library",
                                                  library(),
                                                  "--json"}),
                                         environment());
    }
};

TEST_F(OneWriterTest, WindowAndCommandLineTakeTurns) {
    constexpr int kRounds = 20;
    constexpr std::size_t kCount = 40;
    constexpr std::size_t kMore = 8;
    writeShapes(pictures(), 0, kCount);
    writeShapes(home_ / "more", kCount, kMore);
    for (int round = 0; round < kRounds; ++round) {
        SCOPED_TRACE(round);
        std::filesystem::remove_all(library());
        const bool windowIsFirst = round % 2 == 0;
        auto window = windowIsFirst ? startWindow() : nullptr;
        const auto indexing = startCommand();
        window = windowIsFirst ? std::move(window) : startWindow();
        json({"index", (home_ / "more").string(), "--library", library()});

        const nlohmann::json answer =
            json({"query", "--library", library(), "--text", "a red circle"});
        const Exit ended = indexing->wait();
        expectClean(kCount + kMore);
        window->signal(SIGTERM);

        EXPECT_FALSE(answer["results"].empty());
        EXPECT_EQ(window->wait().code, 128 + SIGTERM);
        ASSERT_EQ(ended.code, 0) << ended.err;
        const nlohmann::json summary = nlohmann::json::parse(ended.out, nullptr, false);
        ASSERT_TRUE(summary.is_object()) << ended.out;
        EXPECT_EQ(summary["indexed"].get<std::size_t>() + summary["unchanged"].get<std::size_t>(),
                  kCount + kMore)
            << summary;
        EXPECT_TRUE(summary["failed"].empty()) << summary;
    }
}

}  // namespace
}  // namespace bifocal::test
