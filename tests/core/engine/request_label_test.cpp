// SPDX-License-Identifier: Apache-2.0
#include "tests/core/engine/engine_fixture.h"

#include <algorithm>

namespace bifocal::test {
namespace {

/// What the profiler calls the newest request after this prompt was answered.
std::string newestLabel(const Engine& engine) {
    const std::vector<profile::RequestTrace> requests = engine.profiler().recentRequests(1);
    return requests.empty() ? std::string() : requests.front().label;
}

class RequestLabelTest : public EngineTest {
protected:
    std::string labelOfWords(const std::string& text) {
        ask(*engine_, words(text));
        return newestLabel(*engine_);
    }
};

TEST_F(RequestLabelTest, PromptsAreCalledByTheirWords) {
    Prompt both = words("yellow");
    both.image = ImageSource{numbered(1), {}};
    Prompt bare;
    bare.image = ImageSource{numbered(1), {}};

    EXPECT_EQ(labelOfWords("a red flower"), "“a red flower”");
    ask(*engine_, both);
    EXPECT_EQ(newestLabel(*engine_), "picture + “yellow”");
    ask(*engine_, bare);
    EXPECT_EQ(newestLabel(*engine_), "picture");
}

TEST_F(RequestLabelTest, LongTextsAreCutAfterAWord) {
    EXPECT_EQ(labelOfWords("an old wooden boat on a quiet lake in the evening light of autumn"),
              "“an old wooden boat on a quiet lake in the…”");
    const std::string exact(48, 'x');
    EXPECT_EQ(labelOfWords(exact), "“" + exact + "”");
    EXPECT_EQ(labelOfWords(exact + " y"), "“" + exact + "…”");
}

TEST_F(RequestLabelTest, TextsWithoutSpacesAreCutBetweenCharacters) {
    std::string text;
    for (int i = 0; i < 60; ++i) {
        text += "é";
    }
    const std::string label = labelOfWords(text);

    std::string expected = "“";
    for (int i = 0; i < 48; ++i) {
        expected += "é";
    }
    EXPECT_EQ(label, expected + "…”");
}

TEST_F(RequestLabelTest, IndexingNamesItsFolder) {
    add("a.png", numbered(1));
    ASSERT_EQ(indexed(*engine_).indexed, 1U);

    EXPECT_EQ(newestLabel(*engine_), "index pictures");
}

}  // namespace
}  // namespace bifocal::test
