// SPDX-License-Identifier: Apache-2.0
#include "models/convert/ctranslate_file.h"

#include "tests/models/ctranslate_writer.h"

#include <gtest/gtest.h>

#include <random>
#include <string>
#include <vector>

namespace bifocal::models {
namespace {

using test::CtranslateDraft;

CtranslateDraft smallDraft() {
    CtranslateDraft draft;
    draft.variables["matrix"] = {{2, 3}, 4, std::vector<std::uint8_t>(12, 7)};
    draft.variables["scalar"] = {{}, 1, {5}};
    draft.variables["none"] = {{0, 4}, 0, {}};
    draft.aliases = {{"other", "matrix"}};
    return draft;
}

void expectRefused(const std::vector<std::uint8_t>& bytes,
                   const std::string& expected,
                   ErrorCode code = ErrorCode::Corruption) {
    const auto file = CtranslateFile::parse(bytes);
    ASSERT_FALSE(file) << expected;
    EXPECT_EQ(file.error().code, code) << file.error().message;
    EXPECT_NE(file.error().message.find(expected), std::string::npos) << file.error().message;
}

TEST(CtranslateFile, ReadsWhatWasWritten) {
    const auto file = CtranslateFile::parse(test::write(smallDraft()));
    ASSERT_TRUE(file) << file.error().message;
    EXPECT_EQ(file->specification(), "WhisperSpec");
    EXPECT_EQ(file->revision(), 3U);
    EXPECT_EQ(file->variables().size(), 3U);
    EXPECT_EQ(file->aliases().at("other"), "matrix");
    const auto matrix = file->find("matrix", CtranslateType::F16, {2, 3});
    ASSERT_TRUE(matrix) << matrix.error().message;
    EXPECT_EQ(std::vector<std::uint8_t>(matrix->bytes.begin(), matrix->bytes.end()),
              std::vector<std::uint8_t>(12, 7));
    EXPECT_EQ(file->find("matrix", CtranslateType::F16, {3, 2}).error().code,
              ErrorCode::Corruption);
    EXPECT_EQ(file->find("matrix", CtranslateType::F32, {2, 3}).error().code,
              ErrorCode::Corruption);
    EXPECT_EQ(file->find("vector", CtranslateType::F16, {}).error().code, ErrorCode::NotFound);
    EXPECT_EQ(file->variables().at("scalar").bytes[0], 5);
}

TEST(CtranslateFile, NamesWhatIsWrong) {
    const auto with = [](auto change) {
        CtranslateDraft draft = smallDraft();
        change(draft);
        return test::write(draft);
    };
    expectRefused(
        with([](CtranslateDraft& d) { d.version = 5; }), "version 5", ErrorCode::Unsupported);
    expectRefused(with([](CtranslateDraft& d) { d.variables["scalar"].type = 6; }),
                  "'scalar'",
                  ErrorCode::Unsupported);
    expectRefused(with([](CtranslateDraft& d) { d.variables["matrix"].bytes.pop_back(); }),
                  "'matrix' has 11 bytes");
    expectRefused(with([](CtranslateDraft& d) {
                      d.variables["matrix"].shape = {0xFFFFFFFF, 0xFFFFFFFF, 0xFFFFFFFF};
                  }),
                  "'matrix'");
    expectRefused(with([](CtranslateDraft& d) { d.variables["matrix"].shape.assign(9, 1); }),
                  "9 dimensions");
    expectRefused(with([](CtranslateDraft& d) { d.specification = ""; }), "specification");
    expectRefused(with([](CtranslateDraft& d) { d.specification = std::string("a\0b", 3); }),
                  "NUL inside");
    expectRefused(with([](CtranslateDraft& d) { d.aliases = {{"other", "nothing"}}; }), "nothing");
    expectRefused(with([](CtranslateDraft& d) { d.aliases = {{"matrix", "scalar"}}; }), "twice");
    std::vector<std::uint8_t> longer = test::write(smallDraft());
    longer.push_back(0);
    expectRefused(longer, "after its end");
}

TEST(CtranslateFile, ACutFileIsRefusedAtEveryByte) {
    const std::vector<std::uint8_t> whole = test::write(smallDraft());
    for (std::size_t size = 0; size < whole.size(); ++size) {
        const auto file = CtranslateFile::parse(
            {whole.begin(), whole.begin() + static_cast<std::ptrdiff_t>(size)});
        ASSERT_FALSE(file) << size;
        EXPECT_NE(file.error().code, ErrorCode::Internal) << size;
    }
}

TEST(CtranslateFile, NoDamageBreaksIt) {
    const std::vector<std::uint8_t> whole = test::write(smallDraft());
    std::mt19937 random(20'262);
    for (int round = 0; round < 20'000; ++round) {
        std::vector<std::uint8_t> damaged = whole;
        for (std::size_t changes = 1 + random() % 4; changes > 0; --changes) {
            damaged[random() % damaged.size()] = static_cast<std::uint8_t>(random());
        }
        const auto file = CtranslateFile::parse(std::move(damaged));
        if (!file) {
            continue;
        }
        for (const auto& [name, variable] : file->variables()) {
            ASSERT_LE(variable.bytes.size(), whole.size()) << name;
        }
    }
}

}  // namespace
}  // namespace bifocal::models
