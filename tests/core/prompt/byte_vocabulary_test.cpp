// SPDX-License-Identifier: Apache-2.0
#include "core/prompt/byte_vocabulary.h"

#include <gtest/gtest.h>

#include <random>
#include <string>
#include <vector>

namespace bifocal {
namespace {

std::string decode(const ByteVocabulary& vocabulary, std::vector<std::int32_t> ids) {
    return vocabulary.decode(ids);
}

TEST(ByteVocabulary, WritesSpacesAndUtf8ByteByByte) {
    // "Ġ" is a space; "Ã©" are the two bytes of é; "Ċ" is a line feed.
    const auto vocabulary = ByteVocabulary::load("a\nĠcat\nÃ©\nÃ\nĊ\n<|end|>\n");
    ASSERT_TRUE(vocabulary) << vocabulary.error().message;
    EXPECT_EQ(vocabulary->size(), 6U);
    EXPECT_EQ(decode(*vocabulary, {0, 1, 2}), "a caté");
    EXPECT_EQ(decode(*vocabulary, {4}), "\n");
    EXPECT_EQ(decode(*vocabulary, {0, 3, 0}),
              "a\xEF\xBF\xBD"
              "a");
    EXPECT_EQ(decode(*vocabulary, {-1, 6, 1'000'000, 0}), "a");
    EXPECT_EQ(vocabulary->find("<|end|>"), 5);
    EXPECT_EQ(vocabulary->find(" cat"), 1);
    EXPECT_EQ(vocabulary->find("dog"), std::nullopt);
}

TEST(ByteVocabulary, EveryByteHasACharacter) {
    std::string lines;
    for (unsigned point = 0x21; point < 0x144; ++point) {
        const bool isItself = point < 0x7F || (point >= 0xA1 && point < 0xAD) || point >= 0xAE;
        if (!isItself) {
            continue;
        }
        if (point < 0x80) {
            lines.push_back(static_cast<char>(point));
        } else {
            lines.push_back(static_cast<char>(0xC0U | (point >> 6U)));
            lines.push_back(static_cast<char>(0x80U | (point & 0x3FU)));
        }
        lines.push_back('\n');
    }
    const auto vocabulary = ByteVocabulary::load(lines);
    ASSERT_TRUE(vocabulary) << vocabulary.error().message;
    EXPECT_EQ(vocabulary->size(), 256U);
    for (unsigned byte = 0; byte < 256; ++byte) {
        EXPECT_TRUE(vocabulary->find(std::string(1, static_cast<char>(byte)))) << byte;
    }
}

TEST(ByteVocabulary, ABrokenLineIsNamed) {
    for (const char* lines : {"a\n\nb\n", "a\n b\n", "a\n\xFF\n", "a\nŅ\n", "a\n\r\n"}) {
        const auto vocabulary = ByteVocabulary::load(lines);
        ASSERT_FALSE(vocabulary) << lines;
        EXPECT_EQ(vocabulary.error().code, ErrorCode::Corruption);
        EXPECT_NE(vocabulary.error().message.find("line 1"), std::string::npos)
            << vocabulary.error().message;
    }
}

TEST(ByteVocabulary, NoBytesBreakIt) {
    std::mt19937 random(20'261);
    for (int round = 0; round < 500; ++round) {
        std::string bytes(random() % 60, '\0');
        for (char& byte : bytes) {
            byte = static_cast<char>(random());
        }
        const auto vocabulary = ByteVocabulary::load(bytes);
        if (vocabulary) {
            (void)decode(*vocabulary, {0, 1, 2});
        }
    }
}

}  // namespace
}  // namespace bifocal
