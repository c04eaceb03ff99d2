// SPDX-License-Identifier: Apache-2.0
#include "tests/app/cli/cli_fixture.h"

#include <csignal>
#include <fstream>
#include <iterator>
#include <nlohmann/json.hpp>
#include <string>

namespace bifocal::test {
namespace {

namespace fs = std::filesystem;

/// Ten minutes that a machine reads out, and the recogniser of this user.
class TranscribeResumeTest : public CliTest {
protected:
    void SetUp() override {
        constexpr int kSentences = 190;
        std::string text;
        for (int i = 1; i <= kSentences; ++i) {
            text += "Picture number " + std::to_string(i) +
                    (i % 3 == 0   ? " shows a red boat on a quiet lake.\n"
                     : i % 3 == 1 ? " was taken in the garden behind the house.\n"
                                  : " has two children and a yellow dog in it.\n");
        }
        writeText(home_ / "text", text);
        const Exit spoken = run(
            {"/usr/bin/flite", "-voice", "slt", "-f", (home_ / "text").string(), "-o", sound_}, {});
        ASSERT_EQ(spoken.code, 0) << spoken.err;
    }

    std::vector<std::string> words(bool keeps) const {
        std::vector<std::string> all{"transcribe", sound_, "--beams", "3", "--json"};
        if (keeps) {
            all.insert(all.end(), {"--state", state_});
        }
        return all;
    }
    /// Kills the program when it has kept its state so often.
    Exit killAfter(int keepCount) const {
        Process process(command(words(true)), environment());
        const bool isThere = process.awaitError([keepCount](const std::string& said) {
            std::size_t place = 0;
            int count = 0;
            while ((place = said.find("kept at", place)) != std::string::npos) {
                ++count;
                ++place;
            }
            return count >= keepCount;
        });
        EXPECT_TRUE(isThere) << "it ended before";
        process.signal(SIGKILL);
        return process.wait();
    }

    const std::string sound_ = (home_ / "spoken.wav").string();
    const std::string state_ = (home_ / "state").string();
};

TEST_F(TranscribeResumeTest, KilledFiveTimesTheTextIsTheSame) {
    const auto whole = nlohmann::json::parse(cli(words(false)).out);
    ASSERT_GT(whole.at("seconds").get<double>(), 600.0);
    ASSERT_GT(whole.at("text").get<std::string>().size(), 5'000U);
    for (const int keepCount : {1, 2, 4, 3, 5}) {
        EXPECT_EQ(killAfter(keepCount).code, 128 + SIGKILL);
        ASSERT_TRUE(fs::exists(state_));
    }
    const auto resumed = nlohmann::json::parse(cli(words(true)).out);
    EXPECT_GT(resumed.at("resumed_at").get<double>(), 60.0);
    EXPECT_EQ(resumed.at("text"), whole.at("text"));
    EXPECT_EQ(resumed.at("tokens"), whole.at("tokens"));
    EXPECT_EQ(resumed.at("log_probability"), whole.at("log_probability"));
    EXPECT_FALSE(fs::exists(state_));
}

TEST_F(TranscribeResumeTest, ADamagedSectionIsRefusedByItsName) {
    killAfter(2);
    std::ifstream from(state_, std::ios::binary);
    std::string bytes{std::istreambuf_iterator<char>(from), {}};
    from.close();
    const std::size_t place = bytes.find(std::string("beams\0\0\0", 8));
    ASSERT_NE(place, std::string::npos);
    bytes[place + 30] = static_cast<char>(bytes[place + 30] ^ 1);
    writeText(state_, bytes);
    const Exit refused = cli(words(true));
    EXPECT_NE(refused.code, 0);
    EXPECT_NE(refused.out.find("section 'beams' is damaged"), std::string::npos) << refused.out;
    EXPECT_TRUE(fs::exists(state_)) << "what was refused is not removed";
}

}  // namespace
}  // namespace bifocal::test
