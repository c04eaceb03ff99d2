// SPDX-License-Identifier: Apache-2.0
// What the program promises before any model is loaded: arguments, errors, help.
#include "app/cli/program.h"
#include "core/imaging/decode.h"
#include "tests/app/cli/cli_fixture.h"

#include <gmock/gmock.h>

#include <cstdlib>
#include <map>
#include <nlohmann/json.hpp>
#include <set>

namespace bifocal::test {
namespace {

using ::testing::HasSubstr;

/// The contract's options of every command; --help has to explain each.
const std::map<std::string, std::set<std::string>> kOptions{
    {"index", {"--library", "--json", "--retry", "--no-wait", "--packs", "--pack"}},
    {"forget", {"--library", "--json", "--packs", "--pack"}},
    {"query",
     {"--library",
      "--text",
      "--speech",
      "--image",
      "--at",
      "--region",
      "--minus",
      "--balance",
      "-k",
      "--json",
      "--packs",
      "--pack"}},
    {"eval", {"--library", "--list", "--looks", "--lang", "--json", "--packs", "--pack"}},
    {"bench", {"--full", "--json", "--library", "--collection", "--clips", "--packs", "--pack"}},
    {"lab",
     {"--workload",
      "--policy",
      "--device",
      "--seeds",
      "--phi",
      "--segments",
      "--batcher",
      "--rate",
      "--seconds",
      "--rough",
      "--set",
      "--trace",
      "--generations",
      "--devices",
      "--json",
      "--packs",
      "--pack"}},
    {"load",
     {"--library",
      "--rate",
      "--seconds",
      "--mix",
      "--steps",
      "--seed",
      "--json",
      "--packs",
      "--pack"}},
    {"models", {"--from", "--packs", "--json"}},
    {"transcribe", {"--packs", "--json"}},
    {"trace",
     {"--library",
      "--out",
      "--repeat",
      "--fail-over",
      "--text",
      "--speech",
      "--image",
      "--at",
      "--region",
      "--minus",
      "--balance",
      "-k",
      "--json",
      "--packs",
      "--pack"}},
    {"doctor", {"--library", "--vectors", "--repair", "--json", "--packs", "--pack"}}};

/// Inside this process: loading LibTorch takes half a second, and nothing here needs it.
class CliContractTest : public CliTest {
protected:
    static void SetUpTestSuite() { ASSERT_TRUE(imaging::initialize("cli_contract_test")); }

    void SetUp() override {
        for (const auto& [name, value] : environment()) {
            // NOLINTNEXTLINE(concurrency-mt-unsafe): no other thread is there between tests
            ASSERT_EQ(::setenv(name.c_str(), value.c_str(), 1), 0);
        }
    }

    Exit cli(std::vector<std::string> words) const override {
        ::testing::internal::CaptureStdout();
        ::testing::internal::CaptureStderr();
        Exit exit;
        exit.code = cli::runProgram(words);
        exit.out = ::testing::internal::GetCapturedStdout();
        exit.err = ::testing::internal::GetCapturedStderr();
        return exit;
    }
};

/// The program itself, for what main() adds.
using CliProgramTest = CliTest;

TEST_F(CliProgramTest, PassesItsWordsOn) {
    const Exit version = cli({"--version"});
    const Exit wrong = cli({"query", "--json"});

    EXPECT_EQ(version.code, 0);
    EXPECT_THAT(version.out, ::testing::StartsWith("bifocal-cli "));
    EXPECT_EQ(wrong.code, 2);
    EXPECT_THAT(wrong.out, HasSubstr("invalid_argument"));
}

TEST_F(CliProgramTest, StartsOverOnceForItsEnvironment) {
    const Exit exit = run(
        {"/usr/bin/env", "-u", "OMP_WAIT_POLICY", command({}).front(), "nonsense"}, environment());

    EXPECT_EQ(exit.code, 2);
    EXPECT_THAT(exit.err, HasSubstr("no such command"));
}

void expectError(const nlohmann::json& document, const std::string& code) {
    ASSERT_TRUE(document.is_object());
    ASSERT_TRUE(document.contains("error"));
    EXPECT_EQ(document["error"]["code"], code);
    EXPECT_TRUE(document["error"]["message"].is_string());
    EXPECT_FALSE(document["error"]["message"].get<std::string>().empty());
}

TEST_F(CliContractTest, AnswersWrongArgumentsWithTwo) {
    const std::string library = (home_ / "library").string();
    const std::vector<std::vector<std::string>> kWrong{
        {"nonsense"},
        {"--json"},
        {"index"},
        {"forget"},
        {"query", "--library", library, "--image", ""},
        {"index", home_.path().string()},
        {"query"},
        {"query", "flower", "--library", library},
        {"query", "--library", library, "--nonsense"},
        {"query", "--library", library, "--text", "x", "--balance", "2"},
        {"query", "--library", library, "--text", "x", "-k", "0"},
        {"query", "--library", library, "--text", "x", "--at", "1"},
        {"query", "--library"},
        {"query", "--library", library, "--library", library},
        {"eval"},
        {"eval", "--library", library},
        {"eval", "word", "--library", library, "--list", "x"},
        {"bench"},
        {"bench", "first", "second"},
        {"models"},
        {"models", "list", "--from", "x"},
        {"bench", "nonsense"},
        {"models", "nonsense"},
        {"models", "prepare", "other", "--from", "x"},
        {"models", "prepare", "starter"},
        {"models", "prepare", "whisper"},
        {"transcribe"},
        {"load"},
        {"load", "--library", library},
        {"load", "--rate", "1"},
        {"load", "word", "--library", library, "--rate", "1"},
        {"load", "--library", library, "--rate", "0"},
        {"load", "--library", library, "--rate", "1:50", "--mix", "text:"},
        {"load", "--library", library, "--rate", "1:50", "--seconds", "-1"},
        {"load", "--library", library, "--rate", "1:50", "--steps", "1"},
        {"trace", "--library", library},
        {"trace", "word", "--library", library, "--out", "x"},
        {"trace", "--library", library, "--out", "x", "--fail-over", "5%"},
        {"trace", "diff", "a"},
        {"trace", "diff", "a", "b", "c"},
        {"trace", "diff", "a", "b", "--library", library},
        {"trace", "diff", "a", "b", "--fail-over", "0.05"},
        {"doctor"},
        {"doctor", "--library", library, "--vectors", "few"}};
    for (const auto& words : kWrong) {
        SCOPED_TRACE(::testing::PrintToString(words));
        expectError(json(words, 2), "invalid_argument");
    }
}

TEST_F(CliContractTest, AnswersWhatIsNotThereWithOne) {
    const std::string nowhere = (home_ / "nowhere").string();
    const std::vector<std::vector<std::string>> kMissing{
        {"doctor", "--library", nowhere},
        {"load", "--library", nowhere, "--rate", "1"},
        {"trace", "diff", nowhere, nowhere},
        {"bench", "contention", "--collection", nowhere},
        {"eval", "--library", nowhere, "--list", nowhere},
        {"bench", "first", "--collection", nowhere},
        {"bench", "first", "--collection", home_.path().string(), "--library", nowhere},
        {"models", "prepare", "starter", "--from", nowhere, "--packs", (home_ / "packs").string()},
        {"models", "prepare", "whisper", "--from", nowhere, "--packs", (home_ / "packs").string()},
        {"transcribe", nowhere, "--packs", (home_ / "packs").string()},
        {"query", "--library", nowhere, "--speech", nowhere}};
    for (const auto& words : kMissing) {
        SCOPED_TRACE(::testing::PrintToString(words));
        expectError(json(words, 1), "not_found");
    }
}

TEST_F(CliContractTest, WritesASentenceToStandardErrorWithoutJson) {
    const Exit exit = cli({"query"});

    EXPECT_EQ(exit.code, 2);
    EXPECT_EQ(exit.out, "");
    EXPECT_THAT(exit.err, HasSubstr("--library is needed"));
}

TEST_F(CliContractTest, ListsItsCommands) {
    const Exit asked = cli({"--help"});
    const Exit lost = cli({});

    EXPECT_EQ(asked.code, 0);
    EXPECT_EQ(lost.code, 2);
    for (const auto& entry : kOptions) {
        EXPECT_THAT(asked.out, HasSubstr("\n  " + entry.first));
    }
}

TEST_F(CliContractTest, ExplainsEveryOptionOfEveryCommand) {
    for (const auto& [command, options] : kOptions) {
        const Exit exit = cli({command, "--help"});

        EXPECT_EQ(exit.code, 0) << command;
        EXPECT_EQ(exit.err, "") << command;
        EXPECT_THAT(exit.out, HasSubstr("bifocal-cli " + command));
        for (const std::string& option : options) {
            EXPECT_THAT(exit.out, HasSubstr(option)) << command;
        }
    }
}

/// 20 executions of one stage, as a trace's CSV.
std::string traceOf(const std::string& microseconds) {
    std::string text = "request,label,class,stage,kind,lane,worker,items,begin_us,duration_us\r\n";
    for (int i = 0; i < 20; ++i) {
        text += "1,a,interactive,search,execute,pool,0,1," + std::to_string(i) + "," +
                microseconds + "\r\n";
    }
    return text;
}

TEST_F(CliContractTest, FailsForAStageThatGotSlower) {
    const std::string fast = (home_ / "fast.csv").string();
    const std::string slow = (home_ / "slow.csv").string();
    const std::string torn = (home_ / "torn.csv").string();
    writeText(fast, traceOf("1000.000"));
    writeText(slow, traceOf("1200.000"));
    writeText(torn, traceOf("fast"));

    const nlohmann::json slower = json({"trace", "diff", fast, slow}, 1);
    const nlohmann::json faster = json({"trace", "diff", slow, fast}, 0);
    json({"trace", "diff", fast, slow, "--fail-over", "30%"}, 0);
    const nlohmann::json fault = json({"trace", "diff", fast, torn}, 1);

    EXPECT_EQ(slower["slower"][0]["stage"], "search");
    EXPECT_EQ(slower["slower"][0]["class"], "interactive");
    EXPECT_TRUE(faster["slower"].empty());
    expectError(fault, "corruption");
    EXPECT_THAT(fault["error"]["message"].get<std::string>(), HasSubstr("torn.csv: line 2"));
}

TEST_F(CliContractTest, ListsABrokenPackWithItsReason) {
    const std::filesystem::path packs = home_ / "packs";
    std::filesystem::create_directories(packs / "empty");
    std::filesystem::create_directories(packs / ".unfinished");
    std::filesystem::create_directories(packs / "torn");
    writeText(packs / "torn" / "pack.json", "{");

    const nlohmann::json document = json({"models", "list", "--packs", packs.string()});

    EXPECT_EQ(document["folder"], packs.string());
    ASSERT_EQ(document["packs"].size(), 2U);
    for (const nlohmann::json& pack : document["packs"]) {
        EXPECT_EQ(pack["state"], "broken");
        EXPECT_FALSE(pack["reason"].get<std::string>().empty());
    }
    EXPECT_EQ(document["packs"][0]["folder"], "empty");
    EXPECT_EQ(document["packs"][1]["folder"], "torn");
}

TEST_F(CliContractTest, ListsNothingWhereNoPackIs) {
    const nlohmann::json document =
        json({"models", "list", "--packs", (home_ / "nowhere").string()});

    EXPECT_TRUE(document["packs"].is_array());
    EXPECT_TRUE(document["packs"].empty());
}

TEST_F(CliContractTest, SaysThatThePackIsMissing) {
    const std::string packs = (home_ / "nowhere").string();

    const nlohmann::json document = json({"query",
                                          "--library",
                                          (home_ / "library").string(),
                                          "--text",
                                          "a flower",
                                          "--packs",
                                          packs},
                                         1);

    expectError(document, "not_found");
}

}  // namespace
}  // namespace bifocal::test
