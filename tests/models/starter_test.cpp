// SPDX-License-Identifier: Apache-2.0
#include "models/convert/starter.h"

#include "core/base/files.h"
#include "core/inference/label_mixture.h"
#include "core/inference/safetensors.h"
#include "core/inference/sha256.h"
#include "core/inference/torch/convert_support.h"
#include "tests/golden/golden_files.h"
#include "tests/support/starter_folder.h"

#include <gtest/gtest.h>

#include <cmath>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

namespace bifocal::models {
namespace {

namespace fs = std::filesystem;

using Json = nlohmann::json;

fs::path freshFolder(const char* name) {
    fs::path path = fs::path(testing::TempDir()) / name;
    fs::remove_all(path);
    EXPECT_TRUE(makeDirectories(path));
    return path;
}

TEST(StarterTemplate, IdIsTheHashOfItsSources) {
    const PackManifest& manifest = starterTemplate();
    EXPECT_EQ(manifest.layout, labelMixtureLayout());
    EXPECT_EQ(manifest.architecture, kLabelMixture);
    EXPECT_EQ(manifest.maxTokens, kMaxTextTokens);
    std::string hashes;
    for (const PackSource& source : manifest.sources) {
        hashes += source.sha256;
    }
    const std::string all =
        sha256({reinterpret_cast<const std::uint8_t*>(hashes.data()), hashes.size()});
    EXPECT_EQ(manifest.id, "starter-1-" + all.substr(0, 8));
}

TEST(PrepareStarter, MissingWheelIsNotFoundAndLeavesNothing) {
    const fs::path downloads = freshFolder("bifocal_downloads_none");
    const fs::path packs = freshFolder("bifocal_packs_none");
    const auto result = prepareStarterPack(downloads, packs, {});
    ASSERT_FALSE(result);
    EXPECT_EQ(result.error().code, ErrorCode::NotFound);
    EXPECT_NE(result.error().message.find("efficientnet"), std::string::npos);
    EXPECT_FALSE(fs::exists(packs / kStarterFolder));
    EXPECT_FALSE(fs::exists(packs / ".starter.new"));
    EXPECT_FALSE(isStarterPackPrepared(packs));
}

TEST(PrepareStarter, AnotherWheelIsRefusedByItsHash) {
    const fs::path downloads = freshFolder("bifocal_downloads_bad");
    const fs::path packs = freshFolder("bifocal_packs_bad");
    const std::string name = starterTemplate().sources[0].file;
    ASSERT_TRUE(writeFileAtomically(downloads / name, std::string("not the wheel")));
    const auto result = prepareStarterPack(downloads, packs, {});
    ASSERT_FALSE(result);
    EXPECT_EQ(result.error().code, ErrorCode::Corruption);
    EXPECT_NE(result.error().message.find("sha256 mismatch"), std::string::npos);
    EXPECT_FALSE(fs::exists(packs / ".starter.new"));
}

TEST(PrepareStarter, StopsWhenAsked) {
    std::stop_source stop;
    stop.request_stop();
    const auto result = prepareStarterPack(
        "/nonexistent", freshFolder("bifocal_packs_stopped"), {}, stop.get_token());
    ASSERT_FALSE(result);
    EXPECT_EQ(result.error().code, ErrorCode::Cancelled);
}

TEST(PreparedStarter, IsRecognisedUntilAFileIsMissing) {
    const fs::path original = test::starterFolder();
    EXPECT_TRUE(isStarterPackPrepared(original.parent_path()));
    const fs::path packs = freshFolder("bifocal_packs_links");
    ASSERT_TRUE(makeDirectories(packs / kStarterFolder));
    for (const auto& entry : fs::directory_iterator(original)) {
        fs::create_symlink(entry.path(), packs / kStarterFolder / entry.path().filename());
    }
    EXPECT_TRUE(isStarterPackPrepared(packs));
    double last = 0;
    ASSERT_TRUE(prepareStarterPack(
        "/nonexistent", packs, [&](const PrepareProgress& progress) { last = progress.fraction; }));
    EXPECT_EQ(last, 1.0);
    fs::remove(packs / kStarterFolder / "vocab.txt");
    EXPECT_FALSE(isStarterPackPrepared(packs));
}

/// A named part of head.f32.
std::vector<float> goldenPart(const std::string& name) {
    const Json json = Json::parse(golden::readFile(std::string(BIFOCAL_GOLDEN_DIR) + "/head.json"));
    const std::vector<float> all =
        golden::readFloats(std::string(BIFOCAL_GOLDEN_DIR) + "/head.f32");
    for (const Json& part : json["parts"]) {
        if (part["name"] == name) {
            std::size_t count = 1;
            for (const Json& side : part["shape"]) {
                count *= side.get<std::size_t>();
            }
            const auto begin = all.begin() + part["offset"].get<std::ptrdiff_t>();
            return {begin, begin + static_cast<std::ptrdiff_t>(count)};
        }
    }
    ADD_FAILURE() << "head.json has no part " << name;
    return {};
}

TEST(PreparedStarter, HeadsMatchTheReference) {
    const auto heads = Safetensors::parse(*readFile(test::starterFolder() / kHeadTensors));
    ASSERT_TRUE(heads) << heads.error().message;
    ASSERT_TRUE(checkTensors(kHeadTensors, *heads, headTensors()));
    const Json json = Json::parse(golden::readFile(std::string(BIFOCAL_GOLDEN_DIR) + "/head.json"));
    const std::vector<float> mean = heads->tensors().at("mean").toFloats();
    const std::vector<float> goldenMean = goldenPart("mu");
    for (std::size_t i = 0; i < kTextWidth; ++i) {
        ASSERT_NEAR(mean[i], goldenMean[i], 1e-4F);
    }
    const std::vector<float> classes = heads->tensors().at("classes").toFloats();
    const std::vector<float> goldenClasses = goldenPart("C");
    for (std::size_t row = 0; row < json["classes"].size(); ++row) {
        const auto index = json["classes"][row].get<std::size_t>();
        for (std::size_t i = 0; i < kTextWidth; ++i) {
            ASSERT_NEAR(classes[index * kTextWidth + i], goldenClasses[row * kTextWidth + i], 1e-4F)
                << "class " << index;
        }
    }
    const std::vector<float> looks = heads->tensors().at("looks").toFloats();
    const std::vector<float> goldenLooks = goldenPart("V");
    for (std::size_t row = 0; row < json["v_columns"].size(); ++row) {
        const auto column = json["v_columns"][row].get<std::size_t>();
        for (std::size_t i = 0; i < kFeatureCount; ++i) {
            ASSERT_NEAR(
                looks[i * kLooksWidth + column], goldenLooks[row * kFeatureCount + i], 1e-4F)
                << "column " << column;
        }
    }
}

TEST(SingularVectors, OfASmallMatrix) {
    // Rows (±3, 0, 0) and (0, ±2, 0) around the mean (1, 1, 1): the axes, longest first.
    const std::vector<float> matrix{4, 1, 1, -2, 1, 1, 1, 3, 1, 1, -1, 1};
    const auto vectors = torch_backend::rightSingularVectors(matrix, 4, 3, 2);
    ASSERT_TRUE(vectors) << vectors.error().message;
    const std::vector<float> expected{1, 0, 0, 1, 0, 0};
    for (std::size_t i = 0; i < expected.size(); ++i) {
        EXPECT_NEAR((*vectors)[i], expected[i], 1e-6F) << i;
    }
}

}  // namespace
}  // namespace bifocal::models
