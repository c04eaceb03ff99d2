// SPDX-License-Identifier: Apache-2.0
#include "core/pipeline/library_writer.h"

#include <chrono>
#include <unordered_set>
#include <utility>

namespace bifocal {

LibraryWriter::LibraryWriter(std::filesystem::path directory,
                             FileLock lock,
                             std::unique_ptr<Library> library)
    : directory_(std::move(directory)), lock_(std::move(lock)), library_(std::move(library)) {}

Result<std::shared_ptr<LibraryWriter>> LibraryWriter::acquire(
    const std::filesystem::path& directory) {
    BIFOCAL_CHECK(makeDirectories(directory));
    BIFOCAL_TRY(FileLock lock, FileLock::tryAcquire(libraryLockFile(directory)));
    BIFOCAL_TRY(std::unique_ptr<Library> library, Library::open(directory, LibraryAccess::Write));
    return std::shared_ptr<LibraryWriter>(
        new LibraryWriter(directory, std::move(lock), std::move(library)));
}

Result<void> LibraryWriter::openVectors(const IndexSpec& spec) {
    const std::lock_guard lock(mutex_);
    if (index_) {
        return {};
    }
    const std::filesystem::path file = libraryVectorFile(directory_, spec.packId);
    BIFOCAL_CHECK(makeDirectories(file.parent_path()));
    BIFOCAL_TRY(index_, VectorIndex::open(file, spec, IndexAccess::Write));
    return {};
}

Result<CollectionId> LibraryWriter::addCollection(const std::filesystem::path& root) {
    const std::lock_guard lock(mutex_);
    return library_->addCollection(root);
}

Result<void> LibraryWriter::removeCollection(CollectionId collection) {
    {
        const std::lock_guard lock(mutex_);
        BIFOCAL_CHECK(library_->removeCollection(collection));
    }
    return removeOrphans();
}

Result<void> LibraryWriter::forgetFailures(CollectionId collection,
                                           std::span<const std::filesystem::path> paths) {
    const std::lock_guard lock(mutex_);
    return library_->forgetFailures(collection, paths);
}

Result<void> LibraryWriter::markScanned(CollectionId collection) {
    const std::lock_guard lock(mutex_);
    return library_->markScanned(
        collection,
        std::chrono::time_point_cast<std::chrono::seconds>(std::chrono::system_clock::now()));
}

Result<void> LibraryWriter::commit(std::span<const ContentKey> keys,
                                   std::span<const float> rows,
                                   const LibraryChange& change) {
    const std::lock_guard lock(mutex_);
    if (!keys.empty()) {
        BIFOCAL_ASSERT(index_ != nullptr);
        BIFOCAL_CHECK(index_->append(keys, rows));
    }
    return library_->apply(change);
}

Result<void> LibraryWriter::removeOrphans() {
    const std::lock_guard lock(mutex_);
    if (!index_) {
        return {};
    }
    BIFOCAL_TRY(const std::vector<ContentKey> contents, library_->allContents());
    const std::unordered_set<ContentKey> used(contents.begin(), contents.end());
    const auto snapshot = index_->snapshot();
    std::vector<ContentKey> orphans;
    for (std::uint32_t row = 0; row < snapshot->rowCount(); ++row) {
        const ContentKey key = snapshot->key(row);
        if (!used.contains(key) && snapshot->find(key) == row) {
            orphans.push_back(key);
        }
    }
    return orphans.empty() ? Result<void>{} : index_->remove(orphans);
}

}  // namespace bifocal
