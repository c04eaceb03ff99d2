// SPDX-License-Identifier: Apache-2.0
#include "core/inference/safetensors.h"

#include "core/inference/sha256.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstring>
#include <random>
#include <string>
#include <vector>

namespace bifocal {
namespace {

using Bytes = std::vector<std::uint8_t>;

Bytes fileWith(const std::string& header, std::size_t dataBytes) {
    Bytes bytes(8 + header.size() + dataBytes, 7);
    const std::uint64_t length = header.size();
    std::memcpy(bytes.data(), &length, sizeof(length));
    std::copy(header.begin(), header.end(), bytes.begin() + 8);
    return bytes;
}

Bytes goodFile() {
    static const std::vector<float> a{1, 2, 3, 4, 5, 6};
    static const std::vector<float> b{-1, 0.5F};
    const std::vector<NamedTensor> tensors{namedTensor("a", {2, 3}, a), namedTensor("b", {2}, b)};
    return *serializeSafetensors(tensors);
}

TEST(Safetensors, RoundTrip) {
    const auto file = Safetensors::parse(goodFile());
    ASSERT_TRUE(file) << file.error().message;
    ASSERT_EQ(file->tensors().size(), 2U);
    const auto a = file->find("a", TensorType::F32, {2, 3});
    ASSERT_TRUE(a) << a.error().message;
    EXPECT_EQ(a->toFloats(), (std::vector<float>{1, 2, 3, 4, 5, 6}));
    EXPECT_EQ(file->find("b", TensorType::F32, {2})->toFloats(), (std::vector<float>{-1, 0.5F}));
}

TEST(Safetensors, WriterAlignsTheDataAndRefusesRepeatedNames) {
    const Bytes bytes = goodFile();
    EXPECT_EQ((bytes.size() - 8 * sizeof(float)) % 64, 0U);
    const std::vector<float> one{1};
    const std::vector<NamedTensor> twice{namedTensor("a", {1}, one), namedTensor("a", {1}, one)};
    ASSERT_FALSE(serializeSafetensors(twice));
}

TEST(Safetensors, FindNamesTheTensor) {
    const auto file = Safetensors::parse(goodFile());
    const auto missing = file->find("c", TensorType::F32, {1});
    ASSERT_FALSE(missing);
    EXPECT_EQ(missing.error().code, ErrorCode::NotFound);
    EXPECT_NE(missing.error().message.find("'c'"), std::string::npos);
    const auto misshapen = file->find("a", TensorType::F32, {3, 2});
    ASSERT_FALSE(misshapen);
    EXPECT_EQ(misshapen.error().code, ErrorCode::Corruption);
    EXPECT_NE(misshapen.error().message.find("[2, 3], expected F32 [3, 2]"), std::string::npos)
        << misshapen.error().message;
    EXPECT_FALSE(file->find("a", TensorType::F16, {2, 3}));
}

TEST(Safetensors, EmptyObjectAndMetadataAreFine) {
    EXPECT_TRUE(Safetensors::parse(fileWith("{}", 0)));
    EXPECT_TRUE(Safetensors::parse(fileWith(R"({"__metadata__":{"format":"pt"}})", 0)));
}

TEST(Safetensors, RefusesMalformedHeaders) {
    struct Case {
        const char* header;
        std::size_t dataBytes;
        const char* expected;
    };
    const std::vector<Case> cases{
        {"", 0, "JSON object"},
        {"[]", 0, "JSON object"},
        {"{", 0, "JSON object"},
        {R"({"a":3})", 0, "'a'"},
        {R"({"a":{"dtype":"F32","shape":[1]}})", 4, "'a'"},
        {R"({"a":{"dtype":"F32","shape":[1],"data_offsets":[0]}})", 4, "'a'"},
        {R"({"a":{"dtype":"F32","shape":[-1],"data_offsets":[0,4]}})", 4, "'a'"},
        {R"({"a":{"dtype":"F32","shape":[1.5],"data_offsets":[0,4]}})", 4, "'a'"},
        {R"({"a":{"dtype":"F32","shape":1,"data_offsets":[0,4]}})", 4, "'a'"},
        {R"({"a":{"dtype":5,"shape":[1],"data_offsets":[0,4]}})", 4, "'a'"},
        {R"({"a":{"dtype":"Q4","shape":[1],"data_offsets":[0,4]}})", 4, "type Q4"},
        {R"({"a":{"dtype":"F32","shape":[1],"data_offsets":[4,0]}})", 4, "outside"},
        {R"({"a":{"dtype":"F32","shape":[1],"data_offsets":[0,8]}})", 4, "outside"},
        {R"({"a":{"dtype":"F32","shape":[1],"data_offsets":[0,18446744073709551615]}})",
         4,
         "outside"},
        {R"({"a":{"dtype":"F32","shape":[2],"data_offsets":[0,4]}})", 4, "not F32 [2]"},
        {R"({"a":{"dtype":"F16","shape":[1],"data_offsets":[0,4]}})", 4, "not F16 [1]"},
        {R"({"a":{"dtype":"F32","shape":[4294967296,4294967296],"data_offsets":[0,0]}})", 0, "'a'"},
        {R"({"a":{"dtype":"F32","shape":[1],"data_offsets":[4,8]}})", 8, "gap"},
        {R"({"a":{"dtype":"F32","shape":[1],"data_offsets":[0,4]}})", 8, "after the last"},
        {R"({"a":{"dtype":"F32","shape":[1],"data_offsets":[0,4]},"b":{"dtype":"F32","shape":[1],"data_offsets":[0,4]}})",
         4,
         "overlaps"},
        {R"({"a":{"dtype":"F32","shape":[1],"data_offsets":[0,4]},"a":{"dtype":"F32","shape":[1],"data_offsets":[0,4]}})",
         4,
         "'a' is there twice"},
    };
    for (const Case& one : cases) {
        const auto file = Safetensors::parse(fileWith(one.header, one.dataBytes));
        ASSERT_FALSE(file) << one.header;
        EXPECT_NE(file.error().message.find(one.expected), std::string::npos)
            << one.header << ": " << file.error().message;
    }
}

TEST(Safetensors, RefusesHeaderLengthsThatDoNotFit) {
    for (const std::uint64_t length :
         {std::uint64_t{3}, std::uint64_t{100'000'001}, UINT64_MAX, UINT64_MAX - 7}) {
        Bytes bytes = fileWith("{}", 0);
        std::memcpy(bytes.data(), &length, sizeof(length));
        const auto file = Safetensors::parse(bytes);
        ASSERT_FALSE(file) << length;
        EXPECT_EQ(file.error().code, ErrorCode::Corruption);
    }
    for (std::size_t size = 0; size < 8; ++size) {
        EXPECT_FALSE(Safetensors::parse(Bytes(size, 0)));
    }
}

TEST(Safetensors, DeepNestingCostsNoStack) {
    EXPECT_FALSE(Safetensors::parse(fileWith("{\"a\":" + std::string(1'000'000, '['), 0)));
}

// Whatever the bytes say, every tensor handed out lies inside the file and has its shape's size.
TEST(Safetensors, MutationsNeverHandOutBytesOfOthers) {
    const Bytes good = goodFile();
    for (std::uint32_t seed = 0; seed < 4000; ++seed) {
        std::mt19937 random(1000 + seed);
        Bytes bytes = good;
        const std::size_t changes = 1 + random() % 4;
        for (std::size_t i = 0; i < changes; ++i) {
            bytes[random() % bytes.size()] = static_cast<std::uint8_t>(random());
        }
        if (random() % 4 == 0) {
            bytes.resize(random() % (bytes.size() + 1));
        }
        const auto file = Safetensors::parse(bytes);
        if (!file) {
            EXPECT_FALSE(file.error().message.empty());
            continue;
        }
        for (const auto& [name, view] : file->tensors()) {
            std::size_t count = 1;
            for (const std::size_t side : view.shape) {
                count *= side;
            }
            ASSERT_EQ(view.bytes.size(), count * sizeOf(view.type)) << "seed " << 1000 + seed;
            std::uint32_t sum = 0;
            for (const std::uint8_t byte : view.bytes) {
                sum += byte;
            }
            ASSERT_LE(sum, 255 * view.bytes.size());
        }
    }
}

TEST(Sha256, KnownAnswers) {
    EXPECT_EQ(sha256({}), "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855");
    const std::string text = "abc";
    EXPECT_EQ(sha256({reinterpret_cast<const std::uint8_t*>(text.data()), text.size()}),
              "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad");
    EXPECT_TRUE(isSha256(sha256({})));
    EXPECT_FALSE(isSha256("E3B0"));
    EXPECT_FALSE(sha256OfFile("/nonexistent/file"));
}

}  // namespace
}  // namespace bifocal
