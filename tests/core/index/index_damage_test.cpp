// SPDX-License-Identifier: Apache-2.0
#include "core/index/internal/format.h"
#include "core/index/vector_index.h"
#include "tests/core/index/index_fixture.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <fstream>
#include <random>

#include <fcntl.h>
#include <unistd.h>

namespace bifocal::index {
namespace {

constexpr std::uint64_t kLogStart = kAlignBytes;
constexpr std::uint64_t kRowsStart = kLogStart + kLogExtentBytes;
constexpr std::uint64_t kKeysAt = kRowsStart + keysOffsetInExtent();
constexpr std::uint64_t kRowsAt = kRowsStart + rowsOffsetInExtent(kRowsPerExtent);

struct Range {
    std::uint64_t first = 0;
    std::uint64_t end = 0;
};

/// A small index whose every committed state is known.
class IndexDamageTest : public ::testing::Test {
protected:
    void SetUp() override {
        const auto index = openOrFail(file_, IndexAccess::Write);
        states_.push_back(contentOf(*index->snapshot()));
        const auto keep = [&](const Result<void>& outcome) {
            ASSERT_TRUE(outcome) << outcome.error().message;
            states_.push_back(contentOf(*index->snapshot()));
        };
        keep(appendNumbers(*index, {1, 2, 3}));
        keep(appendNumbers(*index, {4, 2}, kSmallSpec.dim, 1));
        keep(index->remove(std::vector{keyOf(1)}));
        keep(appendNumbers(*index, {5, 6, 7, 4}, kSmallSpec.dim, 2));
        keep(appendNumbers(*index, {8, 5}, kSmallSpec.dim, 3));
        rowCount_ = index->snapshot()->rowCount();
        records_ = {kLogStart + 64, kLogStart + 64 + 5 * 64 + 4 * 64};
        sizeBytes_ = std::filesystem::file_size(file_);
    }

    void expectPrefix(const IndexSnapshot& snapshot, const std::string& what) const {
        const bool isKnown = std::ranges::find(states_, contentOf(snapshot)) != states_.end();
        EXPECT_TRUE(isKnown) << what << ": a state that never was, " << snapshot.liveCount();
    }

    /// Opens `file_` for reading; an error must be one of those that a damaged file may give.
    std::shared_ptr<const IndexSnapshot> read(const std::string& what) const {
        const auto index = VectorIndex::open(file_, kSmallSpec, IndexAccess::Read);
        if (!index) {
            EXPECT_EQ(index.error().code, ErrorCode::Corruption) << what;
            return nullptr;
        }
        expectPrefix(*(*index)->snapshot(), what);
        return (*index)->snapshot();
    }

    /// Rows of the commits that a file of this length still has.
    static std::uint64_t rowsWithin(std::uint64_t length) {
        std::uint64_t rows = 0;
        for (const std::uint64_t committed : {3U, 5U, 9U, 11U}) {
            rows = kRowsAt + committed * 64 <= length ? committed : rows;
        }
        return rows;
    }

    /// The next writer has what readers saw, and goes on from there.
    static void expectRepairable(const std::filesystem::path& file, const IndexSnapshot& seen) {
        const auto writer = openOrFail(file, IndexAccess::Write);
        ASSERT_NE(writer, nullptr);
        EXPECT_EQ(contentOf(*writer->snapshot()), contentOf(seen));
        ASSERT_TRUE(appendNumbers(*writer, {1000}));
        const Content after = contentOf(*writer->snapshot());
        EXPECT_EQ(after.size(), seen.liveCount() + 1);
        EXPECT_EQ(contentOf(*openOrFail(file, IndexAccess::Read)->snapshot()), after);
        const auto check = VectorIndex::check(file);
        ASSERT_TRUE(check);
        EXPECT_TRUE(check->problems.empty());
    }

    TemporaryFolder folder_;
    const std::filesystem::path file_ = folder_.path() / "small.bfv";
    std::vector<Content> states_;
    Range records_;
    std::uint64_t rowCount_ = 0;
    std::uint64_t sizeBytes_ = 0;
};

TEST_F(IndexDamageTest, EveryLengthShowsACommittedState) {
    // All records; all keys and rows of the last three commits. Shorter and shorter.
    const std::vector<Range> ranges{{sizeBytes_ - 2, sizeBytes_},
                                    {kRowsAt + 3 * 64 - 2, kRowsAt + rowCount_ * 64 + 2},
                                    {kRowsStart - 2, kKeysAt + rowCount_ * 16 + 2},
                                    {kLogStart - 2, records_.end + 2}};
    const std::filesystem::path copy = folder_.path() / "copy.bfv";
    for (const Range& range : ranges) {
        for (std::uint64_t length = range.end; length-- > range.first;) {
            std::filesystem::resize_file(file_, length);
            SCOPED_TRACE("length " + std::to_string(length));

            const auto snapshot = read("shortened");

            ASSERT_NE(snapshot, nullptr);
            EXPECT_EQ(snapshot->rowCount(), rowsWithin(length));
            if (length % 29 == 0) {
                std::filesystem::copy_file(file_, copy);
                expectRepairable(copy, *snapshot);
                std::filesystem::remove(copy);
            }
        }
    }
}

TEST_F(IndexDamageTest, NoFlippedBitIsEverMisread) {
    const std::vector<Range> ranges{{0, sizeof(FileHeader)},
                                    {kLogStart, records_.end + 64},
                                    {kRowsStart, kKeysAt + rowCount_ * 16},
                                    {kRowsAt, kRowsAt + rowCount_ * 64},
                                    {sizeBytes_ - 1, sizeBytes_}};
    const int handle = ::open(file_.c_str(), O_RDWR | O_CLOEXEC);
    ASSERT_GE(handle, 0);
    std::mt19937 random(3);
    std::size_t errorCount = 0;
    std::size_t flipCount = 0;
    for (const Range& range : ranges) {
        for (std::uint64_t at = range.first; at < range.end; ++at) {
            std::uint8_t byte = 0;
            ASSERT_EQ(::pread(handle, &byte, 1, static_cast<off_t>(at)), 1);
            const auto flipped = static_cast<std::uint8_t>(byte ^ (1U << (random() % 8)));
            ASSERT_EQ(::pwrite(handle, &flipped, 1, static_cast<off_t>(at)), 1);
            const std::string what = "byte " + std::to_string(at);
            const auto snapshot = read(what);
            errorCount += snapshot == nullptr ? 1 : 0;
            ++flipCount;
            if (at % 4 == 0) {
                ASSERT_TRUE(VectorIndex::check(file_)) << what;
            }
            ASSERT_EQ(::pwrite(handle, &byte, 1, static_cast<off_t>(at)), 1);
        }
    }
    ::close(handle);
    EXPECT_GT(flipCount, 1500U);
    EXPECT_GT(errorCount, flipCount / 3) << "what is no torn tail must be refused";
    EXPECT_EQ(contentOf(*openOrFail(file_, IndexAccess::Read)->snapshot()), states_.back());
}

TEST_F(IndexDamageTest, ADamagedOlderCommitIsRefusedAndNothingIsCut) {
    const std::vector<std::uint64_t> places{kLogStart + 64 + 8,  // the first record
                                            kKeysAt + 3,         // its keys
                                            kRowsAt + 64 + 5,    // its rows
                                            kRowsStart + 20,     // the extent of all rows
                                            kLogStart + 16};     // the extent of all records
    for (const std::uint64_t at : places) {
        std::fstream file(file_, std::ios::binary | std::ios::in | std::ios::out);
        file.seekg(static_cast<std::streamoff>(at));
        const int byte = file.get();
        file.seekp(static_cast<std::streamoff>(at));
        file.put(static_cast<char>(byte ^ 0x10));
        file.flush();

        for (const IndexAccess access : {IndexAccess::Read, IndexAccess::Write}) {
            const auto index = VectorIndex::open(file_, kSmallSpec, access);
            ASSERT_FALSE(index) << at;
            EXPECT_EQ(index.error().code, ErrorCode::Corruption) << at;
        }
        const auto check = VectorIndex::check(file_);
        ASSERT_TRUE(check);
        EXPECT_EQ(check->problems.size(), 1U) << at;
        file.seekp(static_cast<std::streamoff>(at));
        file.put(static_cast<char>(byte));
        file.close();
        EXPECT_EQ(contentOf(*openOrFail(file_, IndexAccess::Read)->snapshot()), states_.back());
    }
}

TEST_F(IndexDamageTest, ATornLastCommitIsIgnoredByReadersAndCutByTheWriter) {
    const std::uint64_t lastRow = kRowsAt + (rowCount_ - 1) * 64;
    std::fstream file(file_, std::ios::binary | std::ios::in | std::ios::out);
    file.seekp(static_cast<std::streamoff>(lastRow));
    file.put('\x7f');
    file.close();
    const Content& before = states_[states_.size() - 2];

    EXPECT_EQ(contentOf(*openOrFail(file_, IndexAccess::Read)->snapshot()), before);
    EXPECT_EQ(VectorIndex::check(file_)->problems.size(), 1U);
    const auto writer = openOrFail(file_, IndexAccess::Write);
    EXPECT_EQ(contentOf(*writer->snapshot()), before);
    EXPECT_EQ(VectorIndex::check(file_)->problems.size(), 0U);
    ASSERT_TRUE(appendNumbers(*writer, {8, 5}, kSmallSpec.dim, 3));
    EXPECT_EQ(contentOf(*openOrFail(file_, IndexAccess::Read)->snapshot()), states_.back());
}

}  // namespace
}  // namespace bifocal::index
