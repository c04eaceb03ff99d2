// SPDX-License-Identifier: Apache-2.0
#include "core/index/vector_index.h"
#include "core/library/library.h"
#include "tests/core/library/library_fixture.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <csignal>
#include <random>
#include <unordered_set>

#include <sys/wait.h>
#include <unistd.h>

namespace bifocal::library {
namespace {

const IndexSpec kSpec{"pack-1", 4, 64};

/// The numbers of batch `batch`: eight new files, and two older ones in a new version.
LibraryChange changeOf(CollectionId collection, std::uint64_t batch) {
    LibraryChange change;
    for (std::uint64_t at = 0; at < 8; ++at) {
        const std::uint64_t number = batch * 8 + at;
        change.upserts.push_back(fileOf(collection, "/pictures/" + std::to_string(number), number));
    }
    std::mt19937_64 random(batch);
    for (int again = 0; batch > 0 && again < 2; ++again) {
        const std::uint64_t number = random() % (batch * 8);
        change.upserts.push_back(fileOf(
            collection, "/pictures/" + std::to_string(number), 1'000'000 + batch * 2 + again));
    }
    return change;
}

/// Vector first, row second, as indexing does it.
bool writeBatch(Library& library,
                VectorIndex& index,
                CollectionId collection,
                std::uint64_t batch) {
    const LibraryChange change = changeOf(collection, batch);
    std::vector<ContentKey> keys;
    std::vector<float> rows;
    for (const FileRecord& file : change.upserts) {
        keys.push_back(file.content);
        for (std::size_t at = 0; at < kSpec.dim; ++at) {
            rows.push_back(static_cast<float>(file.content.bytes[at]));
        }
    }
    return index.append(keys, rows).has_value() && library.apply(change).has_value();
}

[[noreturn]] void writeUntilKilled(const std::filesystem::path& directory, int acknowledge) {
    const auto library = Library::open(directory, LibraryAccess::Write);
    const auto index =
        VectorIndex::open(libraryVectorFile(directory, kSpec.packId), kSpec, IndexAccess::Write);
    if (!library || !index) {
        ::_exit(3);
    }
    const auto collection = (*library)->addCollection("/pictures");
    const auto generation = (*library)->generation();
    if (!collection || !generation) {
        ::_exit(4);
    }
    for (std::uint64_t batch = *generation - 1;; ++batch) {  // one for the collection
        if (!writeBatch(**library, **index, *collection, batch) ||
            ::write(acknowledge, &batch, sizeof(batch)) != sizeof(batch)) {
            ::_exit(5);
        }
    }
}

/// What must hold at any instant: doctor is content, no row is without its own vector, and at most
/// the vectors of one batch are without a row.
void expectSound(const std::filesystem::path& directory, std::uint64_t& batches) {
    const auto library = openOrFail(directory, LibraryAccess::Read);
    ASSERT_THAT(library->check()->problems, ::testing::IsEmpty());
    const std::filesystem::path vectors = libraryVectorFile(directory, kSpec.packId);
    const auto check = VectorIndex::check(vectors);
    ASSERT_TRUE(check);
    ASSERT_THAT(check->problems, ::testing::IsEmpty());
    const auto index = VectorIndex::open(vectors, kSpec, IndexAccess::Read);
    ASSERT_TRUE(index);
    const auto snapshot = (*index)->snapshot();
    const auto contents = *library->allContents();
    for (const ContentKey& content : contents) {
        const auto row = snapshot->find(content);
        ASSERT_TRUE(row);
        for (std::size_t at = 0; at < kSpec.dim; ++at) {
            ASSERT_EQ(toFloat(snapshot->values(*row)[at]), static_cast<float>(content.bytes[at]));
        }
    }
    batches = *library->generation() - 1;
    ASSERT_EQ(*library->fileCount(), batches * 8) << "a batch in part";
    const std::uint64_t batchRows = 10;
    ASSERT_LE(check->rowCount, batches * batchRows + 50 * batchRows);
}

TEST(LibraryCrashTest, AKilledWriterLeavesASoundLibrary) {
    const TemporaryFolder folder;
    openOrFail(folder.path(), LibraryAccess::Write).reset();
    std::mt19937 random(50);
    std::uint64_t batches = 0;
    for (int round = 0; round < 50; ++round) {
        int pipeEnds[2];
        ASSERT_EQ(::pipe(pipeEnds), 0);
        const pid_t child = ::fork();
        ASSERT_GE(child, 0);
        if (child == 0) {
            writeUntilKilled(folder.path(), pipeEnds[1]);
        }
        ::close(pipeEnds[1]);
        std::uint64_t acknowledged = 0;
        std::uint64_t batch = 0;
        for (auto wanted = 1 + random() % 2; wanted > 0; --wanted) {
            ASSERT_EQ(::read(pipeEnds[0], &batch, sizeof(batch)), ssize_t{sizeof(batch)});
            acknowledged = batch + 1;
        }
        for (auto spins = random() % 50000; spins > 0; --spins) {
            std::atomic_signal_fence(std::memory_order_seq_cst);
        }
        ASSERT_EQ(::kill(child, SIGKILL), 0);
        int status = 0;
        ASSERT_EQ(::waitpid(child, &status, 0), child);
        ASSERT_TRUE(WIFSIGNALED(status)) << "exit " << WEXITSTATUS(status);
        while (::read(pipeEnds[0], &batch, sizeof(batch)) == ssize_t{sizeof(batch)}) {
            acknowledged = batch + 1;
        }
        ::close(pipeEnds[0]);

        ASSERT_NO_FATAL_FAILURE(expectSound(folder.path(), batches)) << "round " << round;
        ASSERT_TRUE(batches == acknowledged || batches == acknowledged + 1);
    }
}

}  // namespace
}  // namespace bifocal::library
