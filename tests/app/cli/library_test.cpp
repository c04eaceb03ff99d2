// SPDX-License-Identifier: Apache-2.0
// index, query, eval, trace and doctor on one small library with the real pack.
#include "core/imaging/decode.h"
#include "tests/app/cli/cli_fixture.h"

#include <gmock/gmock.h>

#include <fstream>
#include <nlohmann/json.hpp>

namespace bifocal::test {
namespace {

using ::testing::EndsWith;
using ::testing::HasSubstr;

class CliLibraryTest : public CliPackTest {
protected:
    std::filesystem::path pictures() const { return home_ / "pictures"; }

    void writeEvaluation(const std::vector<std::string>& names) const {
        std::string list;
        std::string looks = "picture,crop,left,top,flip,brightness\n";
        for (const std::string& name : names) {
            list += name + "\n";
            looks += name + ",0.95,0.02,0.03,0,1.05\n";
        }
        writeText(home_ / "list.txt", list);
        writeText(home_ / "looks.csv", looks);
    }

    std::vector<std::string> pictureNames() const {
        std::vector<std::string> names;
        for (const auto& entry : std::filesystem::directory_iterator(pictures())) {
            if (entry.path().extension() == ".png") {
                names.push_back(entry.path().filename().string());
            }
        }
        return names;
    }
};

void expectCounts(const nlohmann::json& summary,
                  int indexed,
                  int unchanged,
                  int moved,
                  int removed,
                  std::size_t failed) {
    EXPECT_EQ(summary["indexed"], indexed) << summary;
    EXPECT_EQ(summary["unchanged"], unchanged) << summary;
    EXPECT_EQ(summary["moved"], moved) << summary;
    EXPECT_EQ(summary["removed"], removed) << summary;
    ASSERT_TRUE(summary["failed"].is_array());
    EXPECT_EQ(summary["failed"].size(), failed) << summary;
    EXPECT_TRUE(summary["skipped"].is_array());
    EXPECT_TRUE(summary["seconds"].is_number());
}

TEST_F(CliLibraryTest, KeepsALibraryUpToDate) {
    writeShapes(pictures(), 0, 24);
    expectCounts(index(pictures()), 24, 0, 0, 0, 0);
    expectCounts(index(pictures()), 0, 24, 0, 0, 0);

    const auto names = pictureNames();
    std::filesystem::create_directories(pictures() / "deeper");
    std::filesystem::rename(pictures() / names[0], pictures() / "deeper" / "moved.png");
    std::filesystem::remove(pictures() / names[1]);
    writeShapes(home_ / "other", 100, 1);  // another picture under an old name
    for (const auto& entry : std::filesystem::directory_iterator(home_ / "other")) {
        if (entry.path().extension() == ".png") {
            std::filesystem::copy_file(entry.path(),
                                       pictures() / names[2],
                                       std::filesystem::copy_options::overwrite_existing);
        }
    }
    writeText(pictures() / "broken.png", "\x89PNG\r\n\x1a\nthis is no picture");
    const nlohmann::json changed = index(pictures());
    expectCounts(changed, 1, 21, 1, 1, 1);
    EXPECT_THAT(changed["failed"][0]["path"].get<std::string>(), EndsWith("broken.png"));
    EXPECT_FALSE(changed["failed"][0]["reason"].get<std::string>().empty());

    // The broken file costs nothing until somebody asks; then it is tried, and listed, again.
    expectCounts(index(pictures()), 0, 23, 0, 0, 1);
    expectCounts(index(pictures(), {"--retry"}), 0, 23, 0, 0, 1);
    const nlohmann::json checked = json({"doctor", "--library", library()});
    EXPECT_EQ(checked["clean"], true) << checked;
    EXPECT_EQ(checked["pictures"], 23);
    EXPECT_TRUE(checked["problems"].is_array());
}

TEST_F(CliLibraryTest, ForgetsAFolderThatIsGone) {
    writeShapes(pictures(), 0, 3);
    writeShapes(home_ / "other", 10, 2);
    index(pictures(), {(home_ / "other").string(), (home_ / "other" / ".").string()});
    std::filesystem::remove_all(home_ / "other");

    const nlohmann::json sick = json({"doctor", "--library", library()}, 1);
    const nlohmann::json forgotten =
        json({"forget",
              std::filesystem::relative(home_ / "other").string() + "/",
              "--library",
              library()});
    const nlohmann::json unknown =
        json({"forget", (home_ / "other").string(), "--library", library()}, 1);
    index(pictures());
    const nlohmann::json healthy = json({"doctor", "--library", library()});

    EXPECT_EQ(sick["problems"].size(), 1U) << sick;
    EXPECT_EQ(forgotten["forgotten"][0]["pictures"], 2);
    EXPECT_EQ(unknown["error"]["code"], "not_found");
    EXPECT_EQ(healthy["clean"], true) << healthy;
    EXPECT_EQ(healthy["pictures"], 3);
}

TEST_F(CliLibraryTest, RepairsDamagedVectors) {
    writeShapes(pictures(), 0, 3);
    index(pictures());
    for (const auto& entry : std::filesystem::directory_iterator(home_ / "library" / "vectors")) {
        writeText(entry.path(), "no vectors at all");
    }

    const nlohmann::json sick = json({"doctor", "--library", library()}, 1);
    const nlohmann::json query = json({"query", "--library", library(), "--text", "red"}, 1);
    const nlohmann::json repaired = json({"doctor", "--library", library(), "--repair"}, 1);
    expectCounts(index(pictures()), 3, 0, 0, 0, 0);
    const nlohmann::json healthy = json({"doctor", "--library", library()});

    EXPECT_EQ(sick["clean"], false);
    EXPECT_THAT(sick["problems"][0].get<std::string>(), HasSubstr("vectors"));
    EXPECT_EQ(query["error"]["code"], "corruption");
    EXPECT_THAT(repaired["problems"][0].get<std::string>(), HasSubstr("index them again"));
    EXPECT_EQ(healthy["clean"], true) << healthy;
}

TEST_F(CliLibraryTest, SaysWhichPartOfAPromptItCouldNotUse) {
    writeShapes(pictures(), 0, 3);
    index(pictures());

    const nlohmann::json mixed =
        json({"query", "--library", library(), "--text", "a red circle \xE8\x8A\xB1"});

    EXPECT_EQ(mixed["notices"], nlohmann::json::array({"text_partly_unread"}));
}

TEST_F(CliLibraryTest, AnswersQueriesInTheContractsWords) {
    writeShapes(pictures(), 0, 24);
    index(pictures());
    const std::string picture = (pictures() / pictureNames().front()).string();

    const nlohmann::json answer = json({"query",
                                        "--library",
                                        library(),
                                        "--text",
                                        "a red circle",
                                        "--image",
                                        picture,
                                        "--minus",
                                        "blue",
                                        "--balance",
                                        "0.7",
                                        "-k",
                                        "5"});

    EXPECT_THAT(answer["answer"].get<std::string>(),
                ::testing::AnyOf("strong", "fair", "weak", "none"));
    ASSERT_EQ(answer["results"].size(), 5U);
    for (const nlohmann::json& result : answer["results"]) {
        EXPECT_TRUE(std::filesystem::exists(result["path"].get<std::string>()));
        EXPECT_TRUE(result["score"].is_number());
        EXPECT_THAT(result["confidence"].get<std::string>(),
                    ::testing::AnyOf("strong", "fair", "weak"));
        EXPECT_NEAR(result["why"]["image"].get<double>() + result["why"]["text"].get<double>(),
                    result["score"].get<double>(),
                    1e-3);
    }
    EXPECT_EQ(answer["results"][0]["path"], picture);  // the prompt's own picture
    EXPECT_GT(answer["timing_ms"]["total"].get<double>(), 0);
    for (const char* stage : {"decode", "encode_image", "encode_text", "search"}) {
        EXPECT_TRUE(answer["timing_ms"]["stages"][stage].is_number()) << stage;
    }
    EXPECT_FALSE(answer["pack"].get<std::string>().empty());
    EXPECT_EQ(answer["device"], "cpu");

    const Exit plain = cli({"query", "--library", library(), "--text", "a red circle", "-k", "3"});
    EXPECT_EQ(plain.code, 0);
    EXPECT_THAT(plain.out, HasSubstr("3 of 24 pictures"));
}

TEST_F(CliLibraryTest, RefusesPromptsThatSayNothing) {
    writeShapes(pictures(), 0, 4);
    index(pictures());
    writeText(home_ / "no_picture.png", "not a picture");

    const nlohmann::json empty = json({"query", "--library", library(), "--text", "  "}, 2);
    const nlohmann::json chinese =
        json({"query", "--library", library(), "--text", "\xE7\xBA\xA2\xE8\x89\xB2"}, 1);
    const nlohmann::json unreadable =
        json({"query", "--library", library(), "--image", (home_ / "no_picture.png").string()}, 1);
    const nlohmann::json missing =
        json({"query", "--library", library(), "--image", (home_ / "none.png").string()}, 1);

    EXPECT_EQ(empty["error"]["code"], "invalid_argument");
    EXPECT_EQ(chinese["error"]["code"], "unsupported");
    EXPECT_THAT(chinese["error"]["message"].get<std::string>(), HasSubstr("CJK"));
    EXPECT_THAT(unreadable["error"]["code"].get<std::string>(),
                ::testing::AnyOf("unsupported", "corruption"));
    EXPECT_THAT(unreadable["error"]["message"].get<std::string>(), HasSubstr("no_picture.png"));
    EXPECT_EQ(missing["error"]["code"], "not_found");
}

TEST_F(CliLibraryTest, EvaluatesAList) {
    writeShapes(pictures(), 0, 24);
    std::filesystem::remove(pictures() / "005_purple_circle.txt");
    index(pictures());
    std::vector<std::string> names = pictureNames();
    std::erase(names, "005_purple_circle.png");
    names.resize(12);
    writeEvaluation(names);

    const nlohmann::json figures =
        json({"eval", "--library", library(), "--list", (home_ / "list.txt").string()});

    for (const char* depth : {"r1", "r5", "r10"}) {
        const double recall = figures["text_to_image"][depth].get<double>();
        EXPECT_GE(recall, 0) << depth;
        EXPECT_LE(recall, 1) << depth;
    }
    EXPECT_EQ(figures["text_to_image"]["n"], 12);
    EXPECT_EQ(figures["colour"]["n"], 23);  // every description names one; one is missing
    EXPECT_GE(figures["colour"]["r10"].get<double>(), 0.8);
    EXPECT_EQ(figures["image_to_image"]["n"], 12);
    EXPECT_GE(figures["image_to_image"]["r1"].get<double>(), 0.5);
    EXPECT_TRUE(figures["image_to_image"]["perceptual_hash"]["r1"].is_number());

    // In German every description is the same and says no colour: anything is a hit.
    const nlohmann::json german = json(
        {"eval", "--library", library(), "--list", (home_ / "list.txt").string(), "--lang", "de"});
    EXPECT_DOUBLE_EQ(german["text_to_image"]["r1"], 1.0);
    EXPECT_EQ(german["colour"]["n"], 0);

    writeText(home_ / "list.txt", "nowhere.png\n");
    const nlohmann::json wrong =
        json({"eval", "--library", library(), "--list", (home_ / "list.txt").string()}, 1);
    EXPECT_EQ(wrong["error"]["code"], "not_found");
    EXPECT_THAT(wrong["error"]["message"].get<std::string>(), HasSubstr("nowhere.png"));
}

TEST_F(CliLibraryTest, TracesAPrompt) {
    writeShapes(pictures(), 0, 4);
    index(pictures());
    const std::filesystem::path file = home_ / "trace.json";

    const Exit exit = cli({"trace",
                           "--library",
                           library(),
                           "--out",
                           file.string(),
                           "--repeat",
                           "2",
                           "--text",
                           "a red circle"});

    EXPECT_EQ(exit.code, 0) << exit.err;
    std::ifstream stream(file);
    const nlohmann::json trace = nlohmann::json::parse(stream, nullptr, false);
    const nlohmann::json& events = trace.is_object() ? trace["traceEvents"] : trace;
    ASSERT_TRUE(events.is_array());
    EXPECT_THAT(events.dump(), HasSubstr("encode_text"));
}

TEST_F(CliLibraryTest, ListsThePackThatIsReady) {
    const nlohmann::json document = json({"models", "list"});

    const auto& packs = document["packs"];
    ASSERT_TRUE(packs.is_array());
    const auto starter = std::find_if(packs.begin(), packs.end(), [](const nlohmann::json& pack) {
        return pack["folder"] == "starter";
    });
    ASSERT_NE(starter, packs.end());
    EXPECT_EQ((*starter)["state"], "ready") << *starter;
    EXPECT_EQ((*starter)["reason"], "");
    for (const char* field : {"id", "name", "licence", "device", "device_why", "precision"}) {
        EXPECT_FALSE((*starter)[field].get<std::string>().empty()) << field;
    }
    EXPECT_GT((*starter)["bytes"].get<double>(), 1e6);
    EXPECT_EQ((*starter)["sources"].size(), 3U);
}

/// A picture's vector is its own, whatever stood beside it in the batch.
TEST_F(CliLibraryTest, KeepsVectorsApartWhenOneOfTheBatchIsCorrupt) {
    writeShapes(pictures(), 0, 64);
    std::vector<std::string> names = pictureNames();
    std::sort(names.begin(), names.end());
    std::filesystem::resize_file(pictures() / names[7], 60);

    const nlohmann::json summary = index(pictures());
    const nlohmann::json checked = json({"doctor", "--library", library(), "--vectors", "all"});

    expectCounts(summary, 63, 0, 0, 0, 1);
    EXPECT_THAT(summary["failed"][0]["path"].get<std::string>(), EndsWith(names[7]));
    EXPECT_EQ(checked["clean"], true) << checked;
    EXPECT_EQ(checked["pictures"], 63);
}

}  // namespace
}  // namespace bifocal::test
