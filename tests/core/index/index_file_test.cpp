// SPDX-License-Identifier: Apache-2.0
#include "core/index/internal/index_file.h"

#include "core/index/internal/format.h"
#include "tests/core/index/index_fixture.h"

#include <gtest/gtest.h>

#include <csignal>
#include <utility>

#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

namespace bifocal::index {
namespace {

constexpr std::uint32_t kFewRows = 64;  ///< per extent, so that every commit meets a new one

/// Which call fails, counted over writes, resizes and syncs.
struct Fault {
    int callsLeft = -1;       ///< negative: none
    bool writesHalf = false;  ///< a failing write leaves half of its bytes
    bool isLasting = false;   ///< every later call fails as well
    int callCount = 0;
};

class FaultyFile final : public StorageFile {
public:
    FaultyFile(std::unique_ptr<StorageFile> file, Fault& fault)
        : file_(std::move(file)), fault_(fault) {}

    Result<void> writeAt(std::uint64_t offset, std::span<const std::byte> bytes) override {
        if (fails()) {
            if (fault_.writesHalf) {
                (void)file_->writeAt(offset, bytes.first(bytes.size() / 2));
            }
            return Error{ErrorCode::ResourceExhausted, "no space left"};
        }
        return file_->writeAt(offset, bytes);
    }
    Result<std::size_t> readAt(std::uint64_t offset, std::span<std::byte> out) const override {
        return file_->readAt(offset, out);
    }
    Result<std::uint64_t> sizeBytes() const override { return file_->sizeBytes(); }
    Result<void> resize(std::uint64_t sizeBytes) override {
        return fails() ? Result<void>(Error{ErrorCode::ResourceExhausted, "no space left"})
                       : file_->resize(sizeBytes);
    }
    Result<void> sync() override {
        return fails() ? Result<void>(Error{ErrorCode::Internal, "input/output error"})
                       : file_->sync();
    }
    Result<std::shared_ptr<const Mapping>> map(std::uint64_t offset,
                                               std::size_t sizeBytes) const override {
        return file_->map(offset, sizeBytes);
    }
    Result<FileIdentity> identity() const override { return file_->identity(); }

private:
    bool fails() {
        ++fault_.callCount;
        if (fault_.callsLeft < 0) {
            return false;
        }
        if (fault_.callsLeft > 0) {
            --fault_.callsLeft;
            return false;
        }
        fault_.callsLeft = fault_.isLasting ? 0 : -1;
        return true;
    }

    std::unique_ptr<StorageFile> file_;
    Fault& fault_;
};

class IndexFileTest : public ::testing::Test {
protected:
    std::unique_ptr<IndexFile> open() {
        auto storage = openStorageFile(path_, OpenMode::Write);
        EXPECT_TRUE(storage);
        auto file = IndexFile::open(std::make_unique<FaultyFile>(*std::move(storage), fault_));
        EXPECT_TRUE(file);
        EXPECT_TRUE((*file)->takeUp({.looksBehindEnd = true}));
        EXPECT_TRUE((*file)->repairTail());
        return *std::move(file);
    }

    void create() {
        auto storage = openStorageFile(path_, OpenMode::CreateEmpty);
        ASSERT_TRUE(storage);
        ASSERT_TRUE((*storage)->writeAt(0, IndexFile::emptyFile(kSmallSpec, kFewRows)));
    }

    static Result<void> commit(IndexFile& file, std::uint64_t first, std::uint64_t count) {
        std::vector<ContentKey> keys;
        for (std::uint64_t number = first; number < first + count; ++number) {
            keys.push_back(keyOf(number));
        }
        const auto writeRow = [&](std::size_t at, std::span<std::byte> out) {
            const auto row = rowOf(first + at, kSmallSpec.dim);
            for (std::size_t i = 0; i < row.size(); ++i) {
                const Half half = toHalf(row[i]);
                std::memcpy(out.data() + i * 2, &half, 2);
            }
        };
        return file.commit(keys, writeRow, {}, Durability::BeforeReturn);
    }

    TemporaryFolder folder_;
    const std::filesystem::path path_ = folder_.path() / "faulty.bfv";
    Fault fault_;
};

/// Lets every call of a commit over three extents fail in turn, once and for good.
TEST_F(IndexFileTest, AFailedCommitLeavesNothingVisible) {
    create();
    int callCount = 0;
    {
        const auto file = open();
        ASSERT_TRUE(commit(*file, 0, 10));
        fault_.callCount = 0;
        ASSERT_TRUE(commit(*file, 5, 150));
        callCount = fault_.callCount;
    }
    ASSERT_GT(callCount, 8);

    for (int failing = 0; failing < callCount; ++failing) {
        for (const bool isLasting : {false, true}) {
            SCOPED_TRACE("call " + std::to_string(failing) + (isLasting ? ", lasting" : ""));
            create();
            fault_ = {};
            auto file = open();
            ASSERT_TRUE(commit(*file, 0, 10));
            const Content before = contentOf(*file->publish(1));
            fault_ = {failing, true, isLasting, 0};

            const Result<void> outcome = commit(*file, 5, 150);

            fault_ = {};
            ASSERT_FALSE(outcome);
            EXPECT_EQ(contentOf(*file->publish(1)), before);
            const Result<void> again = commit(*file, 5, 150);
            const bool isStillUsable = again.has_value();
            file = open();
            const Content reopened = contentOf(*file->publish(1));
            EXPECT_EQ(reopened.size(), isStillUsable ? 155U : 10U);
            ASSERT_TRUE(commit(*file, 5, 150)) << "opened again, it takes commits again";
            EXPECT_EQ(contentOf(*file->publish(1)).size(), 155U);
        }
    }
}

TEST_F(IndexFileTest, AFailedWriteIsTriedAgainWithoutReopening) {
    create();
    const auto file = open();
    fault_.callsLeft = 3;
    ASSERT_FALSE(commit(*file, 0, 100));

    ASSERT_TRUE(commit(*file, 0, 100));

    EXPECT_EQ(file->table().liveCount(), 100U);
}

/// The real errno of a full file system, from the limit on file sizes.
TEST_F(IndexFileTest, NoSpaceIsResourceExhausted) {
    const pid_t child = ::fork();
    ASSERT_GE(child, 0);
    if (child == 0) {
        std::signal(SIGXFSZ, SIG_IGN);  // NOLINT(concurrency-mt-unsafe): alone in this process
        auto index = VectorIndex::open(path_, kSmallSpec, IndexAccess::Write);
        const rlimit limit{1 << 20, 1 << 20};
        if (!index || ::setrlimit(RLIMIT_FSIZE, &limit) != 0) {
            ::_exit(2);
        }
        const Result<void> outcome = appendNumbers(**index, {1, 2, 3});
        const bool isRight = !outcome && outcome.error().code == ErrorCode::ResourceExhausted &&
                             (*index)->snapshot()->rowCount() == 0;
        ::_exit(isRight ? 0 : 1);
    }
    int status = 0;
    ASSERT_EQ(::waitpid(child, &status, 0), child);
    EXPECT_TRUE(WIFEXITED(status));
    EXPECT_EQ(WEXITSTATUS(status), 0);

    EXPECT_EQ(openOrFail(path_, IndexAccess::Read)->snapshot()->rowCount(), 0U);
    EXPECT_TRUE(VectorIndex::check(path_)->problems.empty());
}

}  // namespace
}  // namespace bifocal::index
