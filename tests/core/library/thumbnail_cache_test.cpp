// SPDX-License-Identifier: Apache-2.0
#include "core/library/thumbnail_cache.h"

#include "tests/core/library/library_fixture.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fstream>
#include <thread>

#include <fcntl.h>
#include <sys/stat.h>

namespace bifocal::library {
namespace {

class ThumbnailCacheTest : public ::testing::Test {
protected:
    static std::vector<std::uint8_t> bytesOf(std::uint64_t number, std::size_t count = 1000) {
        return std::vector<std::uint8_t>(count, static_cast<std::uint8_t>(number));
    }

    /// The one file under the cache that holds this content.
    std::filesystem::path fileOf(std::uint64_t number) const {
        std::string name;
        for (const std::uint8_t byte : keyOf(number).bytes) {
            static constexpr std::string_view kDigits = "0123456789abcdef";
            name += kDigits[byte >> 4U];
            name += kDigits[byte & 0xFU];
        }
        return cacheFolder_ / name.substr(0, 2) / name;
    }

    static void setAge(const std::filesystem::path& file, std::int64_t seconds) {
        struct timespec times[2]{};
        ::clock_gettime(CLOCK_REALTIME, &times[0]);
        times[0].tv_sec -= seconds;
        times[1] = times[0];
        ASSERT_EQ(::utimensat(AT_FDCWD, file.c_str(), times, 0), 0);
    }

    static std::int64_t modified(const std::filesystem::path& file) {
        struct stat status {};
        EXPECT_EQ(::stat(file.c_str(), &status), 0);
        return status.st_mtim.tv_sec;
    }

    std::size_t fileCount() const {
        std::size_t count = 0;
        for (const auto& entry : std::filesystem::recursive_directory_iterator(cacheFolder_)) {
            count += entry.is_regular_file() ? 1 : 0;
        }
        return count;
    }

    TemporaryFolder folder_;
    const std::filesystem::path cacheFolder_ = folder_.path() / "cache" / "thumbnails";
    ThumbnailCache cache_{cacheFolder_, 5000};
};

TEST_F(ThumbnailCacheTest, GivesBackWhatWasStored) {
    EXPECT_FALSE(cache_.find(keyOf(1)));

    ASSERT_TRUE(cache_.store(keyOf(1), bytesOf(1)));
    ASSERT_TRUE(cache_.store(keyOf(2), {}));
    ASSERT_TRUE(cache_.store(keyOf(1), bytesOf(9)));

    EXPECT_EQ(cache_.find(keyOf(1)), bytesOf(9));
    EXPECT_EQ(cache_.find(keyOf(2)), std::vector<std::uint8_t>());
    EXPECT_FALSE(cache_.find(keyOf(3)));
    EXPECT_EQ(ThumbnailCache(cacheFolder_, 5000).find(keyOf(1)), bytesOf(9));
    EXPECT_EQ(fileCount(), 2U);
}

TEST_F(ThumbnailCacheTest, ADamagedFileIsNone) {
    for (const std::size_t length : {0U, 5U, 8U, 500U, 1007U}) {
        ASSERT_TRUE(cache_.store(keyOf(1), bytesOf(1)));
        std::filesystem::resize_file(fileOf(1), length);
        EXPECT_FALSE(cache_.find(keyOf(1))) << length;
        EXPECT_FALSE(std::filesystem::exists(fileOf(1)));
    }
    ASSERT_TRUE(cache_.store(keyOf(1), bytesOf(1)));
    std::fstream file(fileOf(1), std::ios::binary | std::ios::in | std::ios::out);
    file.seekp(100);
    file.put('x');
    file.close();
    EXPECT_FALSE(cache_.find(keyOf(1)));
}

TEST_F(ThumbnailCacheTest, TrimDropsTheOldestUse) {
    for (std::uint64_t number = 0; number < 8; ++number) {
        ASSERT_TRUE(cache_.store(keyOf(number), bytesOf(number)));
        setAge(fileOf(number), 100'000 - static_cast<std::int64_t>(number));
    }
    ASSERT_TRUE(cache_.find(keyOf(0)));  // now the newest use

    ASSERT_TRUE(cache_.trim());

    EXPECT_EQ(fileCount(), 4U) << "1,008 bytes each, 5,000 allowed";
    EXPECT_TRUE(cache_.find(keyOf(0)));
    EXPECT_FALSE(cache_.find(keyOf(1)));
    EXPECT_FALSE(cache_.find(keyOf(4)));
    EXPECT_TRUE(cache_.find(keyOf(5)));
    ASSERT_TRUE(cache_.trim());
    EXPECT_EQ(fileCount(), 4U);
}

TEST_F(ThumbnailCacheTest, ALookIsNotedAtMostOnceAnHour) {
    ASSERT_TRUE(cache_.store(keyOf(1), bytesOf(1)));
    setAge(fileOf(1), 600);
    const std::int64_t before = modified(fileOf(1));

    ASSERT_TRUE(cache_.find(keyOf(1)));
    EXPECT_EQ(modified(fileOf(1)), before);
    setAge(fileOf(1), 7200);
    ASSERT_TRUE(cache_.find(keyOf(1)));
    EXPECT_GT(modified(fileOf(1)), before);
}

TEST_F(ThumbnailCacheTest, TrimClearsWhatAKilledProcessLeft) {
    ASSERT_TRUE(cache_.trim()) << "no folder yet";
    ASSERT_TRUE(cache_.store(keyOf(1), bytesOf(1)));
    const std::filesystem::path old = fileOf(1).string() + ".part-abcdef";
    const std::filesystem::path fresh = fileOf(1).string() + ".part-ghijkl";
    std::ofstream(old) << "x";
    std::ofstream(fresh) << "x";
    setAge(old, 7200);

    ASSERT_TRUE(cache_.trim());

    EXPECT_FALSE(std::filesystem::exists(old));
    EXPECT_TRUE(std::filesystem::exists(fresh));
    EXPECT_TRUE(cache_.find(keyOf(1)));
}

TEST_F(ThumbnailCacheTest, AFolderThatCannotBeMadeIsAnError) {
    std::ofstream(folder_.path() / "file") << "x";
    ThumbnailCache cache(folder_.path() / "file" / "cache", 5000);

    EXPECT_FALSE(cache.store(keyOf(1), bytesOf(1)));
    EXPECT_FALSE(cache.find(keyOf(1)));
}

TEST_F(ThumbnailCacheTest, ThreadsMayShareIt) {
    std::vector<std::thread> threads;
    for (int thread = 0; thread < 3; ++thread) {
        threads.emplace_back([&] {
            for (std::uint64_t turn = 0; turn < 60; ++turn) {
                EXPECT_TRUE(cache_.store(keyOf(turn % 5), bytesOf(turn % 5)));
                const auto found = cache_.find(keyOf((turn + 2) % 5));
                EXPECT_TRUE(!found || *found == bytesOf((turn + 2) % 5));
                if (turn % 20 == 0) {
                    EXPECT_TRUE(cache_.trim());
                }
            }
        });
    }
    for (std::thread& thread : threads) {
        thread.join();
    }
}

}  // namespace
}  // namespace bifocal::library
