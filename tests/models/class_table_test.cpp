// SPDX-License-Identifier: Apache-2.0
#include "models/convert/class_table.h"

#include "core/inference/label_mixture.h"

#include <gtest/gtest.h>

#include <cmath>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

namespace bifocal::models {
namespace {

using Json = nlohmann::json;

std::string namesJson() {
    Json names = Json::array();
    for (std::size_t i = 0; i < kClassCount; ++i) {
        names.push_back("class " + std::to_string(i));
    }
    return names.dump();
}

TEST(ClassWords, ClassesWithoutDetailsFallBackToTheirName) {
    const auto classes =
        readClassWords(namesJson(), R"({"0":{"name":["fish","tench"],"description":"It swims."}})");
    ASSERT_TRUE(classes) << classes.error().message;
    EXPECT_EQ((*classes)[0].synonyms, (std::vector<std::string>{"fish", "tench"}));
    EXPECT_EQ((*classes)[32].synonyms, std::vector<std::string>{"class 32"});
    EXPECT_EQ((*classes)[32].description, "class 32");
    const auto sentences = classSentences(std::span(*classes).first(2));
    EXPECT_EQ(
        sentences,
        (std::vector<std::string>{
            "a class 0", "a fish", "a tench", "It swims.", "a class 1", "a class 1", "class 1"}));
}

TEST(ClassWords, RefusesMisshapenFiles) {
    EXPECT_FALSE(readClassWords("[]", "{}"));
    EXPECT_FALSE(readClassWords("{", "{}"));
    EXPECT_FALSE(readClassWords(namesJson(), "[]"));
    for (const char* details : {R"({"7":3})",
                                R"({"7":{"name":["x"]}})",
                                R"({"7":{"name":"x","description":"y"}})",
                                R"({"7":{"name":[1],"description":"y"}})"}) {
        const auto classes = readClassWords(namesJson(), details);
        ASSERT_FALSE(classes) << details;
        EXPECT_NE(classes.error().message.find("class 7"), std::string::npos);
    }
}

TEST(ClassTable, IsTheRecipeInSmall) {
    const std::vector<ClassWords> classes{{"x", {"p", "q"}, "d"}, {"y", {"y"}, "y"}};
    // Rows: x (1,0), p (1,0), q (0,1), d (0,1); y three times (0,1).
    const std::vector<float> embedded{1, 0, 1, 0, 0, 1, 0, 1, 0, 1, 0, 1, 0, 1};
    const auto table = makeClassTable(classes, embedded, 2);
    ASSERT_TRUE(table) << table.error().message;
    // T0 = unit((1,0) + (s,s) + (0,1)) = (s,s) with s = √½; T1 = (0,1).
    const float s = std::sqrt(0.5F);
    EXPECT_FLOAT_EQ(table->mean[0], s / 2);
    EXPECT_FLOAT_EQ(table->mean[1], (s + 1) / 2);
    EXPECT_NEAR(std::hypot(table->classes[0], table->classes[1]), 1, 1e-6);
    EXPECT_GT(table->classes[0], 0);
    EXPECT_FLOAT_EQ(table->classes[0], -table->classes[2]);
    EXPECT_FLOAT_EQ(table->classes[1], -table->classes[3]);
}

TEST(ClassTable, RefusesAClassWithoutADirection) {
    const std::vector<ClassWords> classes{{"x", {"p"}, "d"}};
    EXPECT_FALSE(makeClassTable(classes, std::vector<float>{1, 0, 0, 0, 0, 1}, 2));
    EXPECT_FALSE(makeClassTable(classes, std::vector<float>{1, 0, 1, 0, 0, 1}, 2));  // T = mean
}

}  // namespace
}  // namespace bifocal::models
