// SPDX-License-Identifier: Apache-2.0
#include "core/index/vector_index.h"

#include "core/index/internal/format.h"
#include "tests/core/index/index_fixture.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <fstream>
#include <limits>
#include <numeric>
#include <random>

namespace bifocal::index {
namespace {

class VectorIndexTest : public ::testing::Test {
protected:
    TemporaryFolder folder_;
    const std::filesystem::path file_ = folder_.path() / "vectors" / "pack-1.bfv";
};

std::vector<std::uint64_t> numbersFrom(std::uint64_t first, std::size_t count) {
    std::vector<std::uint64_t> numbers(count);
    std::iota(numbers.begin(), numbers.end(), first);
    return numbers;
}

TEST_F(VectorIndexTest, KeepsRowsOverReopening) {
    {
        const auto index = openOrFail(file_, IndexAccess::Write);
        ASSERT_TRUE(appendNumbers(*index, {1, 2, 3}));
        ASSERT_TRUE(appendNumbers(*index, {4}));
    }

    const auto snapshot = openOrFail(file_, IndexAccess::Read)->snapshot();

    ASSERT_EQ(snapshot->rowCount(), 4U);
    EXPECT_EQ(snapshot->liveCount(), 4U);
    EXPECT_EQ(snapshot->generation(), 2U);
    for (std::uint32_t row = 0; row < 4; ++row) {
        EXPECT_EQ(snapshot->key(row), keyOf(row + 1));
        EXPECT_EQ(snapshot->find(keyOf(row + 1)), row);
        const auto values = snapshot->values(row);
        ASSERT_EQ(values.size(), kSmallSpec.dim);
        EXPECT_EQ(reinterpret_cast<std::uintptr_t>(values.data()) % 64, 0U);
        for (std::size_t at = 0; at < values.size(); ++at) {
            EXPECT_EQ(toFloat(values[at]), rowOf(row + 1, kSmallSpec.dim)[at]);
        }
    }
    EXPECT_EQ(snapshot->find(keyOf(99)), std::nullopt);
}

TEST_F(VectorIndexTest, AKeyThatIsThereReplacesItsRow) {
    const auto index = openOrFail(file_, IndexAccess::Write);
    ASSERT_TRUE(appendNumbers(*index, {1, 2, 3}));
    const auto before = index->snapshot();

    ASSERT_TRUE(appendNumbers(*index, {2}, kSmallSpec.dim, 5));

    const auto after = index->snapshot();
    EXPECT_EQ(after->rowCount(), 4U);
    EXPECT_EQ(after->liveCount(), 3U);
    EXPECT_EQ(after->find(keyOf(2)), 3U);
    EXPECT_EQ(before->find(keyOf(2)), 1U) << "an old snapshot never changes";
    EXPECT_EQ(before->liveCount(), 3U);
    EXPECT_GT(after->generation(), before->generation());
}

TEST_F(VectorIndexTest, AKeyTwiceInOneAppendKeepsTheLastRow) {
    const auto index = openOrFail(file_, IndexAccess::Write);
    ASSERT_TRUE(appendNumbers(*index, {1}));

    ASSERT_TRUE(appendNumbers(*index, {1, 2, 1, 1}));

    EXPECT_EQ(index->snapshot()->liveCount(), 2U);
    EXPECT_EQ(index->snapshot()->find(keyOf(1)), 4U);
    EXPECT_EQ(contentOf(*index->snapshot()),
              contentOf(*openOrFail(file_, IndexAccess::Read)->snapshot()));
}

TEST_F(VectorIndexTest, RemovedRowsAreNeverFound) {
    const auto index = openOrFail(file_, IndexAccess::Write);
    ASSERT_TRUE(appendNumbers(*index, numbersFrom(0, 200)));

    const std::vector<ContentKey> removed{keyOf(7), keyOf(150), keyOf(150), keyOf(4000)};
    ASSERT_TRUE(index->remove(removed));

    for (const auto& snapshot :
         {index->snapshot(), openOrFail(file_, IndexAccess::Read)->snapshot()}) {
        EXPECT_EQ(snapshot->rowCount(), 200U);
        EXPECT_EQ(snapshot->liveCount(), 198U);
        EXPECT_EQ(snapshot->find(keyOf(7)), std::nullopt);
        std::vector<kernels::RowScore> best(200);
        const auto result = snapshot->search(rowOf(7, kSmallSpec.dim), {}, best, {});
        ASSERT_TRUE(result) << result.error().message;
        EXPECT_EQ(result->count, 198U);
        EXPECT_EQ(result->moments.count, 198U);
        for (std::size_t at = 0; at < result->count; ++at) {
            EXPECT_NE(best[at].row, 7U);
            EXPECT_NE(best[at].row, 150U);
        }
    }
}

TEST_F(VectorIndexTest, AChangeOfNothingIsNoCommit) {
    const auto index = openOrFail(file_, IndexAccess::Write);
    ASSERT_TRUE(appendNumbers(*index, {1}));
    const auto before = index->snapshot();

    ASSERT_TRUE(index->append({}, {}));
    ASSERT_TRUE(index->remove(std::vector{keyOf(5)}));

    EXPECT_EQ(index->snapshot(), before);
}

/// Over several extents, appended in odd pieces, against a plain loop.
TEST_F(VectorIndexTest, SearchIsThatOfOneArray) {
    constexpr std::size_t kRows = 2 * 16384 + 777;
    const auto index = openOrFail(file_, IndexAccess::Write);
    std::mt19937 random(11);
    for (std::size_t done = 0; done < kRows;) {
        const std::size_t count = std::min<std::size_t>(kRows - done, 1 + random() % 9000);
        ASSERT_TRUE(appendNumbers(*index, numbersFrom(done, count)));
        done += count;
    }
    std::vector<ContentKey> removed;
    for (int i = 0; i < 500; ++i) {
        removed.push_back(keyOf(random() % kRows));
    }
    ASSERT_TRUE(index->remove(removed));
    std::vector<std::uint64_t> filter((kRows + 63) / 64);
    std::ranges::generate(filter, [&] { return std::uint64_t{random()} << 32U | random(); });
    const std::vector<float> query{0.5F, -1.0F, 0.25F, 2.0F, 1.0F};
    const auto snapshot = openOrFail(file_, IndexAccess::Read)->snapshot();
    ASSERT_EQ(snapshot->rowCount(), kRows);

    for (const bool isFiltered : {false, true}) {
        std::vector<kernels::RowScore> expected;
        for (std::uint32_t row = 0; row < kRows; ++row) {
            const bool isWanted = !isFiltered || (filter[row / 64] >> (row % 64) & 1U) != 0;
            if (isWanted && snapshot->find(keyOf(row)) == row) {
                float score = 0;
                for (std::size_t at = 0; at < query.size(); ++at) {
                    score += query[at] * toFloat(snapshot->values(row)[at]);
                }
                expected.push_back({score, row});
            }
        }
        std::ranges::sort(expected, [](const auto& left, const auto& right) {
            return left.score != right.score ? left.score > right.score : left.row < right.row;
        });
        std::vector<kernels::RowScore> best(1000);

        const auto result = snapshot->search(
            query,
            isFiltered ? std::span<const std::uint64_t>(filter) : std::span<const std::uint64_t>(),
            best,
            {});

        ASSERT_TRUE(result) << result.error().message;
        EXPECT_EQ(result->moments.count, expected.size());
        ASSERT_EQ(result->count, best.size());
        for (std::size_t at = 0; at < best.size(); ++at) {
            ASSERT_EQ(best[at], expected[at]) << "place " << at;
        }
    }
}

TEST_F(VectorIndexTest, SearchRefusesWhatDoesNotFit) {
    const auto index = openOrFail(file_, IndexAccess::Write);
    ASSERT_TRUE(appendNumbers(*index, numbersFrom(0, 65)));
    const auto snapshot = index->snapshot();
    std::vector<kernels::RowScore> best(3);

    const auto shortQuery = snapshot->search(std::vector<float>(4), {}, best, {});
    const std::vector<std::uint64_t> oneWord{~std::uint64_t{0}};
    const auto shortFilter =
        snapshot->search(std::vector<float>(kSmallSpec.dim), oneWord, best, {});
    std::stop_source stop;
    stop.request_stop();
    const auto cancelled =
        snapshot->search(std::vector<float>(kSmallSpec.dim), {}, best, stop.get_token());

    ASSERT_FALSE(shortQuery);
    EXPECT_EQ(shortQuery.error().code, ErrorCode::InvalidArgument);
    ASSERT_FALSE(shortFilter);
    EXPECT_EQ(shortFilter.error().code, ErrorCode::InvalidArgument);
    ASSERT_FALSE(cancelled);
    EXPECT_EQ(cancelled.error().code, ErrorCode::Cancelled);
}

TEST_F(VectorIndexTest, AppendRefusesWhatCannotBeStored) {
    const auto index = openOrFail(file_, IndexAccess::Write);
    const std::vector<ContentKey> keys{keyOf(1)};
    std::vector<float> row(kSmallSpec.dim);

    for (const float bad : {std::numeric_limits<float>::quiet_NaN(),
                            std::numeric_limits<float>::infinity(),
                            70000.0F}) {
        row[3] = bad;
        const auto outcome = index->append(keys, row);
        ASSERT_FALSE(outcome) << bad;
        EXPECT_EQ(outcome.error().code, ErrorCode::InvalidArgument);
    }
    row[3] = 0;
    row.push_back(0);
    EXPECT_EQ(index->append(keys, row).error().code, ErrorCode::InvalidArgument);
    EXPECT_EQ(index->append({}, row).error().code, ErrorCode::InvalidArgument);
    EXPECT_EQ(index->snapshot()->rowCount(), 0U);
}

TEST_F(VectorIndexTest, AnotherPackOrShapeNeverOpensIt) {
    ASSERT_TRUE(appendNumbers(*openOrFail(file_, IndexAccess::Write), {1}));

    for (const IndexSpec& other : {IndexSpec{"pack-2", 5, 64},
                                   IndexSpec{"pack-1", 6, 64},
                                   IndexSpec{"pack-1", 5, 128},
                                   IndexSpec{"pack-1", 33, 64},
                                   IndexSpec{"", 5, 64},
                                   IndexSpec{"pack-1", 5, 65},
                                   IndexSpec{"pack-1", 0, 64}}) {
        for (const IndexAccess access : {IndexAccess::Read, IndexAccess::Write}) {
            const auto index = VectorIndex::open(file_, other, access);
            ASSERT_FALSE(index) << other.packId << other.dim << other.strideBytes;
            EXPECT_EQ(index.error().code, ErrorCode::InvalidArgument);
        }
    }
    EXPECT_EQ(openOrFail(file_, IndexAccess::Read)->snapshot()->rowCount(), 1U);
}

TEST_F(VectorIndexTest, AFileThatIsNoIndexIsCorruption) {
    std::filesystem::create_directories(file_.parent_path());
    for (const std::size_t size : {0U, 100U, 511U, 100000U}) {
        std::ofstream(file_, std::ios::binary | std::ios::trunc) << std::string(size, 'x');
        for (const IndexAccess access : {IndexAccess::Read, IndexAccess::Write}) {
            const auto index = VectorIndex::open(file_, kSmallSpec, access);
            ASSERT_FALSE(index);
            EXPECT_EQ(index.error().code, ErrorCode::Corruption);
        }
        const auto check = VectorIndex::check(file_);
        ASSERT_TRUE(check);
        EXPECT_EQ(check->problems.size(), 1U);
    }
}

TEST_F(VectorIndexTest, AReaderNeedsNoFileAndFollowsTheWriter) {
    const auto reader = openOrFail(file_, IndexAccess::Read);
    EXPECT_EQ(reader->snapshot()->rowCount(), 0U);
    EXPECT_FALSE(std::filesystem::exists(file_));
    EXPECT_EQ(VectorIndex::check(file_).error().code, ErrorCode::NotFound);
    EXPECT_FALSE(appendNumbers(*reader, {1}));
    std::uint64_t generation = reader->snapshot()->generation();

    const auto writer = openOrFail(file_, IndexAccess::Write);
    for (std::uint64_t number = 0; number < 40; ++number) {
        ASSERT_TRUE(appendNumbers(*writer, {number % 30, number + 100}));
        ASSERT_TRUE(writer->refresh());
        ASSERT_TRUE(reader->refresh());
        EXPECT_EQ(contentOf(*reader->snapshot()), contentOf(*writer->snapshot()));
        EXPECT_GT(reader->snapshot()->generation(), generation);
        generation = reader->snapshot()->generation();
    }
    const auto same = reader->snapshot();
    ASSERT_TRUE(reader->refresh());
    EXPECT_EQ(reader->snapshot(), same) << "nothing came, so nothing is made anew";
}

TEST_F(VectorIndexTest, ManyCommitsGoOverSeveralLogExtents) {
    // 64 bytes a record in a log extent of 256 KiB; records with tombstones are larger.
    const auto index = openOrFail(file_, IndexAccess::Write);
    const auto reader = openOrFail(file_, IndexAccess::Read);
    for (std::uint64_t turn = 0; turn < 6; ++turn) {
        ASSERT_TRUE(appendNumbers(*index, numbersFrom(0, 15000), kSmallSpec.dim, turn));
        ASSERT_TRUE(reader->refresh());
        EXPECT_EQ(reader->snapshot()->liveCount(), 15000U);
    }

    const Content expected = contentOf(*index->snapshot());

    EXPECT_EQ(index->snapshot()->rowCount(), 90000U);
    EXPECT_EQ(contentOf(*reader->snapshot()), expected);
    EXPECT_EQ(contentOf(*openOrFail(file_, IndexAccess::Read)->snapshot()), expected);
    const auto check = VectorIndex::check(file_);
    ASSERT_TRUE(check);
    EXPECT_THAT(check->problems, ::testing::IsEmpty());
    EXPECT_EQ(check->rowCount, 90000U);
    EXPECT_EQ(check->liveCount, 15000U);
}

TEST_F(VectorIndexTest, OpeningForWritingDropsDeadRowsWhenTheyAreTheMost) {
    Content expected;
    const auto reader = openOrFail(file_, IndexAccess::Read);
    {
        const auto index = openOrFail(file_, IndexAccess::Write);
        ASSERT_TRUE(appendNumbers(*index, numbersFrom(0, 300)));
        ASSERT_TRUE(appendNumbers(*index, numbersFrom(0, 300), kSmallSpec.dim, 1));
        ASSERT_TRUE(appendNumbers(*index, numbersFrom(0, 290), kSmallSpec.dim, 2));
        expected = contentOf(*index->snapshot());
    }
    ASSERT_TRUE(reader->refresh());
    const auto old = reader->snapshot();
    const std::filesystem::path inTheWay = file_.string() + ".compact";
    std::filesystem::create_directories(inTheWay / "x");
    EXPECT_EQ(openOrFail(file_, IndexAccess::Write)->snapshot()->rowCount(), 890U)
        << "when it cannot be rewritten, it is used as it is";
    std::filesystem::remove_all(inTheWay);

    const auto index = openOrFail(file_, IndexAccess::Write);

    EXPECT_EQ(index->snapshot()->rowCount(), 300U);
    EXPECT_EQ(contentOf(*index->snapshot()), expected);
    EXPECT_EQ(old->rowCount(), 890U);
    EXPECT_EQ(contentOf(*old), expected) << "the old file stays readable by who has it";
    ASSERT_TRUE(reader->refresh());
    EXPECT_EQ(reader->snapshot()->rowCount(), 300U);
    EXPECT_EQ(contentOf(*reader->snapshot()), expected);
    EXPECT_GT(reader->snapshot()->generation(), old->generation());
    ASSERT_TRUE(appendNumbers(*index, {1000}));
    ASSERT_TRUE(reader->refresh());
    EXPECT_EQ(reader->snapshot()->rowCount(), 301U);
}

TEST_F(VectorIndexTest, AFileThatIsNewerIsUnsupported) {
    FileHeader header = makeFileHeader(kSmallSpec, kRowsPerExtent, 1);
    header.version = kFormatVersion + 1;
    Checksum checksum;
    checksum.add(std::as_bytes(std::span(&header, 1)).first(offsetof(FileHeader, checksum)));
    header.checksum = checksum.value();
    std::filesystem::create_directories(file_.parent_path());
    std::ofstream(file_, std::ios::binary)
        .write(reinterpret_cast<const char*>(&header), sizeof(header));

    for (const IndexAccess access : {IndexAccess::Read, IndexAccess::Write}) {
        const auto index = VectorIndex::open(file_, kSmallSpec, access);
        ASSERT_FALSE(index);
        EXPECT_EQ(index.error().code, ErrorCode::Unsupported);
    }
}

}  // namespace
}  // namespace bifocal::index
