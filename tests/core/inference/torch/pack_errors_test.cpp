// SPDX-License-Identifier: Apache-2.0
#include "core/base/files.h"
#include "core/inference/label_mixture.h"
#include "core/inference/manifest.h"
#include "core/inference/sha256.h"
#include "core/inference/torch/torch_packs.h"
#include "tests/support/starter_folder.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <string>
#include <vector>

namespace bifocal::torch_backend {
namespace {

namespace fs = std::filesystem;

/// A copy of the starter pack by links, in which single files can be replaced.
class PackErrors : public testing::Test {
protected:
    void SetUp() override {
        folder_ = fs::path(testing::TempDir()) / "bifocal_pack_errors_test";
        fs::remove_all(folder_);
        ASSERT_TRUE(makeDirectories(folder_));
        const fs::path original = test::starterFolder();
        manifest_ = *readManifest(original);
        for (const PackFile& file : manifest_.files) {
            fs::create_symlink(original / file.name, folder_ / file.name);
        }
    }
    void TearDown() override { fs::remove_all(folder_); }

    /// Replaces a file and makes the manifest agree.
    void replace(const std::string& name, const std::vector<std::uint8_t>& bytes) {
        fs::remove(folder_ / name);
        ASSERT_TRUE(writeFileAtomically(folder_ / name, bytes));
        for (PackFile& file : manifest_.files) {
            if (file.name == name) {
                file.bytes = bytes.size();
                file.sha256 = sha256(bytes);
            }
        }
    }

    Error load() {
        EXPECT_TRUE(writeFileAtomically(folder_ / kManifestName, toJson(manifest_)));
        const auto pack = loadPack(folder_);
        EXPECT_FALSE(pack);
        return pack ? Error{} : pack.error();
    }

    Safetensors imageTensors() {
        return *Safetensors::parse(*readFile(test::starterFolder() / kImageTensors));
    }

    fs::path folder_;
    PackManifest manifest_;
};

std::vector<NamedTensor> listOf(const Safetensors& file) {
    std::vector<NamedTensor> tensors;
    for (const auto& [name, view] : file.tensors()) {
        tensors.push_back({name, view});
    }
    return tensors;
}

TEST_F(PackErrors, NoManifestIsNotFound) {
    const auto pack = loadPack(folder_);
    ASSERT_FALSE(pack);
    EXPECT_EQ(pack.error().code, ErrorCode::NotFound);
}

TEST_F(PackErrors, UnknownArchitectureIsUnsupported) {
    manifest_.architecture = "crystal-ball-3";
    const Error error = load();
    EXPECT_EQ(error.code, ErrorCode::Unsupported);
    EXPECT_NE(error.message.find("crystal-ball-3"), std::string::npos);
}

TEST_F(PackErrors, AnotherLayoutIsRefused) {
    manifest_.layout.blocks.pop_back();
    EXPECT_EQ(load().code, ErrorCode::Corruption);
}

TEST_F(PackErrors, MissingTensorIsNamed) {
    const Safetensors file = imageTensors();
    std::vector<NamedTensor> tensors = listOf(file);
    std::erase_if(tensors,
                  [](const NamedTensor& t) { return t.name == "blocks.5.depthwise.bias"; });
    replace(kImageTensors, *serializeSafetensors(tensors));
    const Error error = load();
    EXPECT_EQ(error.code, ErrorCode::Corruption);
    EXPECT_EQ(error.message, "image.safetensors: tensor 'blocks.5.depthwise.bias' is missing");
}

TEST_F(PackErrors, ExtraTensorIsNamed) {
    const Safetensors file = imageTensors();
    std::vector<NamedTensor> tensors = listOf(file);
    const std::vector<float> one{1};
    tensors.push_back(namedTensor("surprise", {1}, one));
    replace(kImageTensors, *serializeSafetensors(tensors));
    const Error error = load();
    EXPECT_EQ(error.code, ErrorCode::Corruption);
    EXPECT_EQ(error.message, "image.safetensors: tensor 'surprise' is unexpected");
}

TEST_F(PackErrors, MisshapenTensorIsNamed) {
    const Safetensors file = imageTensors();
    std::vector<NamedTensor> tensors = listOf(file);
    for (NamedTensor& tensor : tensors) {
        if (tensor.name == "stem.weight") {
            std::swap(tensor.tensor.shape[0], tensor.tensor.shape[1]);
        }
    }
    replace(kImageTensors, *serializeSafetensors(tensors));
    const Error error = load();
    EXPECT_EQ(error.code, ErrorCode::Corruption);
    EXPECT_EQ(error.message,
              "image.safetensors: tensor 'stem.weight' is F32 [3, 32, 3, 3], expected F32 [32, 3, "
              "3, 3]");
}

TEST_F(PackErrors, AFileThatIsNoSafetensorsIsNamed) {
    replace(kImageTensors, std::vector<std::uint8_t>(100, 1));
    const Error error = load();
    EXPECT_EQ(error.code, ErrorCode::Corruption);
    EXPECT_TRUE(error.message.starts_with("image.safetensors: ")) << error.message;
}

TEST_F(PackErrors, ChangedBytesAreNoticed) {
    auto bytes = *readFile(test::starterFolder() / kImageTensors);
    bytes[bytes.size() / 2] ^= 1U;
    const std::string expected = manifest_.files.front().sha256;
    replace(kImageTensors, bytes);
    manifest_.files.front().sha256 = expected;
    ASSERT_EQ(manifest_.files.front().name, kImageTensors);
    const Error error = load();
    EXPECT_EQ(error.code, ErrorCode::Corruption);
    EXPECT_NE(error.message.find("image.safetensors: sha256 mismatch"), std::string::npos);
}

TEST_F(PackErrors, AnotherVocabularyIsRefused) {
    auto bytes = *readFile(test::starterFolder() / kVocabulary);
    const std::string more = "surprise\n";
    bytes.insert(bytes.end(), more.begin(), more.end());
    replace(kVocabulary, bytes);
    const Error error = load();
    EXPECT_EQ(error.code, ErrorCode::Corruption);
    EXPECT_NE(error.message.find("vocab.txt: 30523 tokens"), std::string::npos) << error.message;
}

}  // namespace
}  // namespace bifocal::torch_backend
