// SPDX-License-Identifier: Apache-2.0
#include "models/convert/pack_preparation.h"

#include "core/base/files.h"
#include "core/inference/sha256.h"

#include <algorithm>
#include <utility>

namespace bifocal::models {
namespace {

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

}  // namespace

PackPreparation::PackPreparation(std::filesystem::path downloads,
                                 std::filesystem::path folder,
                                 PackManifest manifest,
                                 const ProgressCallback& progress,
                                 std::stop_token stop)
    : downloads_(std::move(downloads)),
      folder_(std::move(folder)),
      manifest_(std::move(manifest)),
      progress_(progress),
      stop_(std::move(stop)) {}

Result<void> PackPreparation::step(const std::string& name, double fraction) const {
    if (stop_.stop_requested()) {
        return Error{ErrorCode::Cancelled, "prepare " + manifest_.id};
    }
    report(name, fraction);
    return {};
}

void PackPreparation::report(const std::string& name, double fraction) const {
    if (progress_) {
        progress_({name, fraction});
    }
}

Result<Archive> PackPreparation::openSource(const char* name) const {
    const PackSource& source = sourceOf(manifest_, name);
    const std::filesystem::path path = downloads_ / source.file;
    BIFOCAL_TRY(const std::string hash, sha256OfFile(path, stop_));
    if (hash != source.sha256) {
        return Error{ErrorCode::Corruption,
                     path.string() + ": sha256 mismatch, expected " + source.sha256};
    }
    return Archive::open(path);
}

Result<void> PackPreparation::write(const PackFile& described,
                                    const std::vector<std::uint8_t>& bytes) {
    BIFOCAL_CHECK(writeFileAtomically(folder_ / described.name, bytes));
    PackFile file = described;
    file.bytes = bytes.size();
    file.sha256 = sha256(bytes);
    manifest_.files.push_back(std::move(file));
    return {};
}

Result<void> PackPreparation::copyLicence(Archive& archive,
                                          const std::string& entry,
                                          const char* source,
                                          const std::string& licence) {
    BIFOCAL_TRY(const std::vector<std::uint8_t> text, archive.read(entry, kMaxEntryBytes));
    return write({std::string("LICENSE-") + source + ".txt", 0, "", licence, source}, text);
}

bool isPackPrepared(const std::filesystem::path& packs,
                    const std::string& name,
                    const PackManifest& wanted) {
    const std::filesystem::path folder = packs / name;
    const auto found = readManifest(folder);
    if (!found || found->id != wanted.id || found->sources != wanted.sources ||
        found->layout != wanted.layout || found->files.empty()) {
        return false;
    }
    return std::all_of(found->files.begin(), found->files.end(), [&](const PackFile& file) {
        std::error_code error;
        return std::filesystem::file_size(folder / file.name, error) == file.bytes && !error;
    });
}

Result<void> preparePack(const std::filesystem::path& downloads,
                         const std::filesystem::path& packs,
                         const std::string& name,
                         const PackManifest& wanted,
                         const ProgressCallback& progress,
                         const std::stop_token& stop,
                         const std::function<Result<void>(PackPreparation&)>& make) {
    BIFOCAL_CHECK(makeDirectories(packs));
    BIFOCAL_TRY(const FileLock lock, FileLock::tryAcquire(packs / ("." + name + ".lock")));
    if (!isPackPrepared(packs, name, wanted)) {
        BIFOCAL_TRY(TemporaryFolder folder, TemporaryFolder::make(packs / ("." + name + ".new")));
        PackPreparation preparation(downloads, folder.path(), wanted, progress, stop);
        BIFOCAL_CHECK(make(preparation));
        BIFOCAL_CHECK(preparation.step("manifest", 0.99));
        BIFOCAL_CHECK(
            writeFileAtomically(folder.path() / kManifestName, toJson(preparation.manifest())));
        BIFOCAL_CHECK(folder.moveTo(packs / name));
    }
    if (progress) {
        progress({"ready", 1.0});
    }
    return {};
}

}  // namespace bifocal::models
