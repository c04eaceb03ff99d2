// SPDX-License-Identifier: Apache-2.0
#include "app/cli/bench/report.h"
#include "app/cli/bench/stored_run.h"
#include "tests/app/cli/cli_fixture.h"

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

namespace bifocal::cli {
namespace {

BenchReport sampleReport() {
    BenchReport report;
    report.bench = "sample";
    report.machine = "a machine";
    report.rows.push_back({"fast", 0.95, "share", Better::Higher, 0.9});
    report.rows.push_back({"slow", 20, "ms", Better::Lower, 10.0, BenchPeer{"somebody", 30}});
    report.rows.push_back({"plain", 3, "ms"});
    report.leftOut.push_back({"gone", "no device"});
    return report;
}

TEST(BenchReportTest, FindsQuantiles) {
    const std::vector<double> values{5, 1, 3, 2, 4};

    EXPECT_DOUBLE_EQ(median(values), 3);
    EXPECT_DOUBLE_EQ(median(std::vector<double>{1, 2}), 1.5);
    EXPECT_DOUBLE_EQ(quantile(values, 0.95), 5);
    EXPECT_DOUBLE_EQ(quantile(values, 0.5), 3);
    EXPECT_DOUBLE_EQ(quantile(values, 0), 1);
    EXPECT_DOUBLE_EQ(quantile({}, 0.5), 0);
    EXPECT_DOUBLE_EQ(median({}), 0);
}

TEST(BenchReportTest, JudgesByTheBetterSide) {
    const BenchReport report = sampleReport();

    EXPECT_TRUE(report.rows[0].holds());
    EXPECT_FALSE(report.rows[1].holds());
    EXPECT_TRUE(report.rows[2].holds());
}

TEST(BenchReportTest, WritesTheContract) {
    const auto document = nlohmann::json::parse(toJson(sampleReport()));

    EXPECT_EQ(document["bench"], "sample");
    EXPECT_EQ(document["machine"], "a machine");
    const auto& fast = document["rows"][0];
    EXPECT_EQ(fast["id"], "fast");
    EXPECT_DOUBLE_EQ(fast["value"], 0.95);
    EXPECT_EQ(fast["unit"], "share");
    EXPECT_DOUBLE_EQ(fast["target"], 0.9);
    EXPECT_EQ(fast["better"], "higher");
    EXPECT_EQ(fast["holds"], true);
    EXPECT_TRUE(fast["peer"].is_null());
    EXPECT_EQ(document["rows"][1]["peer"]["name"], "somebody");
    EXPECT_DOUBLE_EQ(document["rows"][1]["peer"]["value"], 30);
    EXPECT_TRUE(document["rows"][2]["target"].is_null());
    EXPECT_EQ(document["left_out"][0]["id"], "gone");
    EXPECT_EQ(document["left_out"][0]["reason"], "no device");
    const std::vector<BenchReport> two{sampleReport(), sampleReport()};
    EXPECT_EQ(nlohmann::json::parse(toJson(two)).size(), 2U);
}

TEST(BenchReportTest, SaysInWordsWhatIsMissed) {
    const std::string table = toTable(sampleReport());

    EXPECT_NE(table.find("holds at least"), std::string::npos);
    EXPECT_NE(table.find("MISSES at most"), std::string::npos);
    EXPECT_NE(table.find("left out: gone: no device"), std::string::npos);
}

TEST(StoredRunTest, GivesPeersOnTheSameMachineOnly) {
    const test::ScratchFolder folder;
    BenchReport full = sampleReport();
    full.rows[2].value = 7;
    ASSERT_TRUE(storeFullRun(folder / "bench", full, "abc123"));
    BenchReport here = sampleReport();
    BenchReport elsewhere = sampleReport();
    elsewhere.machine = "another machine";

    ASSERT_TRUE(addStoredPeers(folder / "bench", here));
    ASSERT_TRUE(addStoredPeers(folder / "bench", elsewhere));

    ASSERT_TRUE(here.rows[2].peer);
    EXPECT_EQ(here.rows[2].peer->name, "full run of abc123");
    EXPECT_DOUBLE_EQ(here.rows[2].peer->value, 7);
    EXPECT_EQ(here.rows[1].peer->name, "somebody");  // its own peer stays
    EXPECT_FALSE(elsewhere.rows[2].peer);
}

TEST(StoredRunTest, PassesByWhatWasNeverStored) {
    const test::ScratchFolder folder;
    BenchReport report = sampleReport();

    EXPECT_TRUE(addStoredPeers(folder.path(), report));
    EXPECT_FALSE(report.rows[0].peer);
}

TEST(StoredRunTest, RefusesAFileThatIsNoRun) {
    const test::ScratchFolder folder;
    BenchReport report = sampleReport();
    for (const char* text : {"",
                             "[]",
                             "{\"rows\":1}",
                             "{\"machine\":\"a machine\",\"commit\":\"c\","
                             "\"rows\":[{\"id\":1,\"value\":2}]}"}) {
        test::writeText(folder / "sample.json", text);

        const auto outcome = addStoredPeers(folder.path(), report);

        ASSERT_FALSE(outcome) << text;
        EXPECT_EQ(outcome.error().code, ErrorCode::Corruption);
    }
}

}  // namespace
}  // namespace bifocal::cli
