// SPDX-License-Identifier: Apache-2.0
// Several programs on one library, and programs that are stopped.
#include "tests/app/cli/processes_fixture.h"

#include <gmock/gmock.h>

#include <csignal>
#include <nlohmann/json.hpp>

namespace bifocal::test {
namespace {

using ::testing::HasSubstr;

TEST_F(CliProcessesTest, InterruptKeepsWhatIsFinished) {
    constexpr std::size_t kCount = 120;
    writeShapes(pictures(), 0, kCount);
    const auto indexing = startIndexing();
    ASSERT_TRUE(indexing->awaitError(shows(16)));

    indexing->signal(SIGINT);
    const Exit stopped = indexing->wait();
    const nlohmann::json checked = json({"doctor", "--library", library(), "--vectors", "0"});
    const nlohmann::json rest = index(pictures());

    EXPECT_EQ(stopped.code, 128 + SIGINT) << stopped.err;
    EXPECT_THAT(stopped.err, HasSubstr("what was finished is kept"));
    EXPECT_THAT(stopped.out, HasSubstr("indexed"));
    EXPECT_EQ(checked["clean"], true) << checked;
    EXPECT_GE(checked["pictures"].get<std::size_t>(), 16U);
    EXPECT_LT(checked["pictures"].get<std::size_t>(), kCount);
    EXPECT_EQ(rest["unchanged"], checked["pictures"]);
    EXPECT_EQ(rest["indexed"].get<std::size_t>() + rest["unchanged"].get<std::size_t>(), kCount);
}

TEST_F(CliProcessesTest, OneWriterAndAnyNumberOfReaders) {
    constexpr std::size_t kCount = 160;
    writeShapes(pictures(), 0, kCount);
    const auto indexing = startIndexing();
    ASSERT_TRUE(indexing->awaitError(shows(8)));

    const nlohmann::json busy =
        json({"index", pictures().string(), "--library", library(), "--no-wait"}, 1);
    const nlohmann::json answer = json({"query", "--library", library(), "--text", "a red circle"});
    Process waiting(command({"index", pictures().string(), "--library", library(), "--json"}),
                    environment());
    const Exit first = indexing->wait();
    const Exit second = waiting.wait();

    EXPECT_EQ(busy["error"]["code"], "busy");
    EXPECT_FALSE(answer["results"].empty());
    EXPECT_EQ(first.code, 0) << first.err;
    EXPECT_EQ(second.code, 0) << second.err;
    const nlohmann::json summary = nlohmann::json::parse(second.out, nullptr, false);
    ASSERT_TRUE(summary.is_object()) << second.out;
    EXPECT_EQ(summary["unchanged"], kCount) << summary;
    EXPECT_THAT(second.err, HasSubstr("waiting"));
}

TEST_F(CliCrashTest, ThreeKillsLoseNothing) {
    killAndRecover(3, 64);
}

}  // namespace
}  // namespace bifocal::test
