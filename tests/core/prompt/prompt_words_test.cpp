// SPDX-License-Identifier: Apache-2.0
#include "core/prompt/prompt.h"
#include "kernels/colours.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

namespace bifocal {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

TEST(NamedColoursTest, KnowsTheKernelsNamesInTheirOrder) {
    for (std::size_t index = 0; index < kernels::kColourCount; ++index) {
        EXPECT_THAT(namedColours(kernels::kColourNames[index]), ElementsAre(index));
    }
    EXPECT_THAT(namedColours("gray"), ElementsAre(2U));
}

TEST(NamedColoursTest, TakesWholeWordsInAnyCaseOnce) {
    EXPECT_THAT(namedColours("A RED boat, a red sail; Blue-white sea."), ElementsAre(1U, 3U, 7U));
    EXPECT_THAT(namedColours("An orange."), ElementsAre(4U));
    EXPECT_THAT(namedColours("reddish hatred, blueberry, greens"), IsEmpty());
    EXPECT_THAT(namedColours(""), IsEmpty());
}

TEST(ScriptsOfTest, NamesTheScriptOfEachLanguage) {
    struct Case {
        const char* text;
        Script script;
    };
    const Case cases[] = {{"Angeln am See", Script::Latin},
                          {"红色的车", Script::Cjk},
                          {"赤いボート", Script::Cjk},
                          {"빨간 배", Script::Cjk},
                          {"красная лодка", Script::Cyrillic},
                          {"κόκκινη βάρκα", Script::Greek},
                          {"قارب أحمر", Script::Arabic},
                          {"סירה אדומה", Script::Hebrew},
                          {"लाल नाव", Script::Indic},
                          {"சிவப்பு படகு", Script::Indic},
                          {"เรือสีแดง", Script::Thai},
                          {"წითელი ნავი", Script::Other}};
    for (const Case& one : cases) {
        EXPECT_THAT(scriptsOf(one.text), ElementsAre(one.script)) << one.text;
    }
}

TEST(ScriptsOfTest, PutsTheMostFrequentFirstAndTheEarlierOneWhenEqual) {
    EXPECT_THAT(scriptsOf("a 红色的车"), ElementsAre(Script::Cjk, Script::Latin));
    EXPECT_THAT(scriptsOf("IMG 红色"), ElementsAre(Script::Latin, Script::Cjk));
    EXPECT_THAT(scriptsOf("ab 红色"), ElementsAre(Script::Latin, Script::Cjk));
}

TEST(ScriptsOfTest, FindsNoneInDigitsSignsAndBrokenText) {
    EXPECT_THAT(scriptsOf("2023-11-30 🙂 … \xff\xfe"), IsEmpty());
    EXPECT_THAT(scriptsOf(""), IsEmpty());
}

TEST(ScriptsOfTest, HasANameForEveryScript) {
    for (int value = 1; value <= static_cast<int>(Script::Other); ++value) {
        EXPECT_FALSE(std::string(toString(static_cast<Script>(value))).empty());
    }
    EXPECT_STREQ(toString(Script::Cjk), "CJK");
}

}  // namespace
}  // namespace bifocal
