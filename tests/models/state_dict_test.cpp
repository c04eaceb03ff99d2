// SPDX-License-Identifier: Apache-2.0
#include "models/convert/state_dict.h"

#include "tests/models/pickle_writer.h"

#include <gtest/gtest.h>

#include <functional>
#include <random>
#include <string>
#include <vector>

namespace bifocal::models {
namespace {

const WrittenTensor kPlain{"plain", "10", {2, 3}, {3, 1}, {1, 2, 3, 4, 5, 6}};
const WrittenTensor kTransposed{"transposed", "20", {3, 2}, {1, 3}, {1, 2, 3, 4, 5, 6}};

TEST(StateDict, HonoursStridesAndOffsets) {
    const WrittenTensor late{"late", "30", {2}, {2}, {0, 0, 7, 0, 9}, 2};
    const WrittenTensor scalar{"scalar", "40", {}, {}, {42}};
    const auto tensors = readStateDict(writeStateDict({kPlain, kTransposed, late, scalar}));
    ASSERT_TRUE(tensors) << tensors.error().message;
    EXPECT_EQ(tensors->at("plain").values, (std::vector<float>{1, 2, 3, 4, 5, 6}));
    EXPECT_EQ(tensors->at("transposed").shape, (std::vector<std::size_t>{3, 2}));
    EXPECT_EQ(tensors->at("transposed").values, (std::vector<float>{1, 4, 2, 5, 3, 6}));
    EXPECT_EQ(tensors->at("late").values, (std::vector<float>{7, 9}));
    EXPECT_EQ(tensors->at("scalar").values, std::vector<float>{42});
}

TEST(StateDict, NamesTheTensorThatIsWrong) {
    struct Case {
        std::function<void(WrittenTensor&)> change;
        std::string expected;
    };
    const std::vector<Case> cases{
        {[](WrittenTensor& t) {
             t.strides = {3, 2};
         },
         "'plain'"},
        {[](WrittenTensor& t) { t.strides = {3}; }, "'plain'"},
        {[](WrittenTensor& t) {
             t.strides = {3, -1};
         },
         "'plain'"},
        {[](WrittenTensor& t) {
             t.shape = {2, 4};
         },
         "'plain'"},
        {[](WrittenTensor& t) {
             t.shape = {0, 3};
         },
         "'plain'"},
        {[](WrittenTensor& t) {
             t.shape = {INT32_MAX, INT32_MAX};
         },
         "'plain'"},
        {[](WrittenTensor& t) { t.shape = std::vector<std::int32_t>(9, 1); }, "'plain'"},
        {[](WrittenTensor& t) { t.offset = 1; }, "'plain'"},
        {[](WrittenTensor& t) { t.offset = -1; }, "'plain'"},
        {[](WrittenTensor& t) { t.storage.clear(); }, "'plain'"},
        {[](WrittenTensor& t) { t.type = "DoubleStorage"; }, "DoubleStorage"},
        {[](WrittenTensor& t) { t.name = "transposed"; }, "'transposed' is there twice"},
        {[](WrittenTensor& t) { t.key = "20"; }, "20"},
    };
    for (const Case& one : cases) {
        WrittenTensor changed = kPlain;
        one.change(changed);
        const auto tensors = readStateDict(writeStateDict({kTransposed, changed}));
        ASSERT_FALSE(tensors) << one.expected;
        EXPECT_NE(tensors.error().message.find(one.expected), std::string::npos)
            << tensors.error().message;
    }
}

TEST(StateDict, RefusesBytesThatAreMissingOrLeftOver) {
    const std::vector<std::uint8_t> good = writeStateDict({kPlain});
    ASSERT_TRUE(readStateDict(good));
    for (std::size_t size = 0; size < good.size(); ++size) {
        EXPECT_FALSE(readStateDict(std::span(good).first(size))) << size;
    }
    std::vector<std::uint8_t> longer = good;
    longer.push_back(0);
    EXPECT_FALSE(readStateDict(longer));
}

TEST(StateDict, RefusesAZip) {
    const std::string zip = "PK\x03\x04 and so on";
    const auto result = readStateDict(std::vector<std::uint8_t>(zip.begin(), zip.end()));
    ASSERT_FALSE(result);
}

TEST(StateDict, MutationsNeverReachBeyondTheFile) {
    const std::vector<std::uint8_t> good = writeStateDict({kPlain, kTransposed});
    for (std::uint32_t seed = 0; seed < 3000; ++seed) {
        std::mt19937 random(9000 + seed);
        std::vector<std::uint8_t> bytes = good;
        for (std::size_t i = 0; i < 1 + random() % 4; ++i) {
            bytes[random() % bytes.size()] = static_cast<std::uint8_t>(random());
        }
        const auto tensors = readStateDict(bytes);
        if (!tensors) {
            EXPECT_FALSE(tensors.error().message.empty());
            continue;
        }
        for (const auto& [name, tensor] : *tensors) {
            EXPECT_LE(tensor.values.size(), 6U) << "seed " << 9000 + seed;
        }
    }
}

}  // namespace
}  // namespace bifocal::models
