// SPDX-License-Identifier: Apache-2.0
#include "app/cli/arguments.h"

#include <gtest/gtest.h>

namespace bifocal::cli {
namespace {

const std::vector<OptionSpec> kOptions{
    {"--name"}, {"-k"}, {"--flag", OptionSpec::Value::None}, {"--minus", OptionSpec::Value::Many}};

Result<Arguments> parse(const std::vector<std::string>& words) {
    return Arguments::parse(words, kOptions);
}

TEST(ArgumentsTest, ReadsOptionsAndWordsInAnyOrder) {
    const auto arguments = parse({"one", "--name", "value", "two", "--flag", "-k", "7"});

    ASSERT_TRUE(arguments);
    EXPECT_EQ(arguments->words(), (std::vector<std::string>{"one", "two"}));
    EXPECT_EQ(arguments->value("--name"), "value");
    EXPECT_TRUE(arguments->has("--flag"));
    EXPECT_EQ(*arguments->integer("-k", 1, 1, 10), 7);
}

TEST(ArgumentsTest, TakesAnEqualsSignAndKeepsLaterOnes) {
    const auto arguments = parse({"--name=a=b"});

    ASSERT_TRUE(arguments);
    EXPECT_EQ(arguments->value("--name"), "a=b");
}

TEST(ArgumentsTest, TakesEverythingAfterTwoDashesForWords) {
    const auto arguments = parse({"--", "--name", "-"});

    ASSERT_TRUE(arguments);
    EXPECT_EQ(arguments->words(), (std::vector<std::string>{"--name", "-"}));
}

TEST(ArgumentsTest, KeepsEveryValueOfAnOptionThatMayBeRepeated) {
    const auto arguments = parse({"--minus", "a", "--minus=b"});

    ASSERT_TRUE(arguments);
    EXPECT_EQ(arguments->values("--minus"), (std::vector<std::string>{"a", "b"}));
}

TEST(ArgumentsTest, TakesAValueThatBeginsWithADash) {
    const auto arguments = parse({"--name", "-flower"});

    ASSERT_TRUE(arguments);
    EXPECT_EQ(arguments->value("--name"), "-flower");
}

TEST(ArgumentsTest, RefusesWhatItDoesNotKnow) {
    const std::vector<std::vector<std::string>> kWrong{{"--unknown"},
                                                       {"-x"},
                                                       {"--name"},
                                                       {"--name", "a", "--name", "b"},
                                                       {"--flag=yes"},
                                                       {"--flag", "--flag"}};
    for (const auto& words : kWrong) {
        const auto arguments = parse(words);

        ASSERT_FALSE(arguments) << words.front();
        EXPECT_EQ(arguments.error().code, ErrorCode::InvalidArgument);
        EXPECT_NE(arguments.error().message.find(words.front().substr(0, words.front().find('='))),
                  std::string::npos);
    }
}

TEST(ArgumentsTest, RefusesNumbersThatAreNone) {
    for (const char* text : {"", "x", "1x", "nan", "inf", "-1", "11", " 1"}) {
        const auto arguments = parse({"--name", text});

        ASSERT_TRUE(arguments);
        EXPECT_FALSE(arguments->number("--name", 0, 0, 10)) << "'" << text << "'";
        EXPECT_FALSE(arguments->integer("--name", 0, 0, 10)) << "'" << text << "'";
    }
    EXPECT_FALSE(parse({"-k", "1.5"})->integer("-k", 0, 0, 10));
    EXPECT_DOUBLE_EQ(*parse({"--name", "0.25"})->number("--name", 0, 0, 1), 0.25);
}

TEST(ArgumentsTest, FallsBackWhenAnOptionIsAbsent) {
    const auto arguments = parse({});

    ASSERT_TRUE(arguments);
    EXPECT_EQ(*arguments->integer("-k", 10, 1, 100), 10);
    EXPECT_FALSE(arguments->value("--name"));
    EXPECT_FALSE(arguments->required("--name"));
    EXPECT_FALSE(parse({"--name", ""})->required("--name"));
}

}  // namespace
}  // namespace bifocal::cli
