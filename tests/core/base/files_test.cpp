// SPDX-License-Identifier: Apache-2.0
#include "core/base/files.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <atomic>
#include <cstdlib>
#include <fstream>
#include <future>
#include <thread>

#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

namespace bifocal {
namespace {

using testing::HasSubstr;

class FilesTest : public testing::Test {
protected:
    FilesTest() {
        std::string name =
            (std::filesystem::temp_directory_path() / "bifocal-base-XXXXXX").string();
        EXPECT_NE(::mkdtemp(name.data()), nullptr);
        folder_ = name;
    }
    ~FilesTest() override {
        std::error_code ignored;
        std::filesystem::remove_all(folder_, ignored);
    }

    std::filesystem::path path(const std::string& name) const { return folder_ / name; }
    std::size_t fileCount() const {
        return static_cast<std::size_t>(
            std::distance(std::filesystem::directory_iterator(folder_), {}));
    }

    static std::string textOf(const std::filesystem::path& file) {
        const auto bytes = readFile(file);
        EXPECT_TRUE(bytes);
        return bytes ? std::string(bytes->begin(), bytes->end()) : std::string();
    }

private:
    std::filesystem::path folder_;
};

/// A child process made by fork(); it ends when told to, or with its owner.
class Child {
public:
    /// Runs `before` in the child, then waits there for the end.
    template <typename Before>
    explicit Child(Before before) {
        int wait[2];
        int ready[2];
        EXPECT_EQ(::pipe(wait), 0);
        EXPECT_EQ(::pipe(ready), 0);
        id_ = ::fork();
        if (id_ == 0) {
            ::close(wait[1]);
            const char answer = before() ? 'y' : 'n';
            (void)!::write(ready[1], &answer, 1);
            char ignored = 0;
            (void)!::read(wait[0], &ignored, 1);
            ::_exit(0);
        }
        ::close(wait[0]);
        ::close(ready[1]);
        end_ = wait[1];
        char answer = 'n';
        EXPECT_EQ(::read(ready[0], &answer, 1), 1);
        succeeded_ = answer == 'y';
        ::close(ready[0]);
    }
    Child(const Child&) = delete;
    Child& operator=(const Child&) = delete;
    ~Child() { end(); }

    void end() {
        if (id_ > 0) {
            ::close(end_);
            ::waitpid(id_, nullptr, 0);
            id_ = 0;
        }
    }
    int id() const { return id_; }
    bool succeeded() const { return succeeded_; }

private:
    pid_t id_ = 0;
    int end_ = -1;
    bool succeeded_ = false;
};

TEST_F(FilesTest, ReadsBackWhatWasWritten) {
    std::vector<std::uint8_t> bytes(100'000);
    for (std::size_t index = 0; index < bytes.size(); ++index) {
        bytes[index] = static_cast<std::uint8_t>(index * 7);
    }

    ASSERT_TRUE(writeFileAtomically(path("a"), bytes));
    ASSERT_TRUE(writeFileAtomically(path("empty"), std::string()));

    EXPECT_EQ(*readFile(path("a")), bytes);
    EXPECT_TRUE(readFile(path("empty"))->empty());
}

TEST_F(FilesTest, ReadsFilesOfTheKernelThatStateNoSize) {
    EXPECT_THAT(textOf("/proc/self/status"), HasSubstr("Pid:"));
}

TEST_F(FilesTest, SaysWhyItCannotRead) {
    ASSERT_TRUE(writeFileAtomically(path("a"), std::string("12345")));

    EXPECT_EQ(readFile(path("none")).error().code, ErrorCode::NotFound);
    EXPECT_EQ(readFile(path("a") / "b").error().code, ErrorCode::NotFound);
    EXPECT_EQ(readFile(path("")).error().code, ErrorCode::InvalidArgument);
    EXPECT_EQ(readFile(path("a"), 4).error().code, ErrorCode::ResourceExhausted);
    EXPECT_EQ(readFile("/proc/self/status", 4).error().code, ErrorCode::ResourceExhausted);
    EXPECT_TRUE(readFile(path("a"), 5));
    EXPECT_THAT(readFile(path("none")).error().message, HasSubstr("none"));
}

TEST_F(FilesTest, FailsInsteadOfThrowingForAFileLargerThanMemory) {
    std::ofstream(path("sparse")).close();
    ASSERT_EQ(::truncate(path("sparse").c_str(), off_t{1} << 42), 0);  // 4 TiB of nothing

    EXPECT_EQ(readFile(path("sparse"), std::uint64_t{1} << 40).error().code,
              ErrorCode::ResourceExhausted);
}

TEST_F(FilesTest, ReplacesAFileAndLeavesNothingBeside) {
    ASSERT_TRUE(writeFileAtomically(path("a"), std::string("old")));
    ASSERT_EQ(::chmod(path("a").c_str(), 0600), 0);

    ASSERT_TRUE(writeFileAtomically(path("a"), std::string("new")));

    EXPECT_EQ(textOf(path("a")), "new");
    EXPECT_EQ(fileCount(), 1U);
    struct stat status {};
    ASSERT_EQ(::stat(path("a").c_str(), &status), 0);
    EXPECT_EQ(status.st_mode & 0777U, 0600U);
}

TEST_F(FilesTest, LeavesTheOldFileWhenItCannotReplaceIt) {
    std::filesystem::create_directories(path("folder") / "inside");

    EXPECT_FALSE(writeFileAtomically(path("folder"), std::string("new")));
    EXPECT_EQ(writeFileAtomically(path("none") / "a", std::string("new")).error().code,
              ErrorCode::NotFound);

    EXPECT_TRUE(std::filesystem::exists(path("folder") / "inside"));
    EXPECT_EQ(fileCount(), 1U);
}

TEST_F(FilesTest, NeverShowsAHalfWrittenFile) {
    const std::string first(50'000, 'a');
    const std::string second(70'000, 'b');
    ASSERT_TRUE(writeFileAtomically(path("a"), first));
    std::atomic<bool> isDone{false};

    std::jthread writer([&] {
        for (int round = 0; round < 20; ++round) {
            (void)writeFileAtomically(path("a"), round % 2 == 0 ? second : first);
        }
        isDone = true;
    });
    while (!isDone) {
        const std::string seen = textOf(path("a"));
        ASSERT_TRUE(seen == first || seen == second) << seen.size();
    }
}

TEST_F(FilesTest, MakesFoldersAndAcceptsExistingOnes) {
    EXPECT_TRUE(makeDirectories(path("a/b/c")));
    EXPECT_TRUE(makeDirectories(path("a/b/c")));
    EXPECT_TRUE(std::filesystem::is_directory(path("a/b/c")));
    ASSERT_TRUE(writeFileAtomically(path("file"), std::string()));
    EXPECT_FALSE(makeDirectories(path("file/d")));
}

TEST_F(FilesTest, FollowsTheBaseFolderVariables) {
    ASSERT_EQ(::setenv("XDG_DATA_HOME", "/somewhere", 1), 0);
    ASSERT_EQ(::setenv("XDG_CACHE_HOME", "relative", 1), 0);
    ASSERT_EQ(::setenv("HOME", "/person", 1), 0);
    ASSERT_EQ(::unsetenv("XDG_CONFIG_HOME"), 0);

    EXPECT_EQ(dataHome(), "/somewhere/bifocal");
    EXPECT_EQ(cacheHome(), "/person/.cache/bifocal");  // a relative one must be ignored
    EXPECT_EQ(configHome(), "/person/.config/bifocal");
}

TEST_F(FilesTest, LetsOneOwnerHaveTheLock) {
    auto lock = FileLock::tryAcquire(path("lock"));
    ASSERT_TRUE(lock);

    const auto second = FileLock::tryAcquire(path("lock"));

    ASSERT_FALSE(second);
    EXPECT_EQ(second.error().code, ErrorCode::Busy);
    EXPECT_THAT(second.error().message, HasSubstr("process " + std::to_string(::getpid())));
    EXPECT_GT(second.error().retryAfter.count(), 0);
}

TEST_F(FilesTest, GivesTheLockBackWithItsOwner) {
    {
        auto lock = FileLock::tryAcquire(path("lock"));
        ASSERT_TRUE(lock);
        EXPECT_EQ(FileLock::holder(path("lock")), ::getpid());
    }

    EXPECT_EQ(FileLock::holder(path("lock")), std::nullopt);
    EXPECT_TRUE(FileLock::tryAcquire(path("lock")));
    EXPECT_EQ(FileLock::holder(path("none")), std::nullopt);
}

TEST_F(FilesTest, MovesTheLockWithItsObject) {
    auto first = FileLock::tryAcquire(path("lock"));
    ASSERT_TRUE(first);
    FileLock moved = *std::move(first);
    auto other = FileLock::tryAcquire(path("other"));
    ASSERT_TRUE(other);

    EXPECT_EQ(FileLock::holder(path("lock")), ::getpid());
    *other = std::move(moved);
    EXPECT_EQ(FileLock::holder(path("lock")), ::getpid());
}

TEST_F(FilesTest, NamesAnotherProcessThatHasTheLock) {
    Child child([this] {
        // Ends with the process; the lock must not go before.
        static auto lock = FileLock::tryAcquire(path("lock"));
        return lock.has_value();
    });
    ASSERT_TRUE(child.succeeded());

    EXPECT_EQ(FileLock::holder(path("lock")), child.id());
    EXPECT_EQ(FileLock::tryAcquire(path("lock")).error().code, ErrorCode::Busy);

    child.end();
    EXPECT_EQ(FileLock::holder(path("lock")), std::nullopt);
    EXPECT_TRUE(FileLock::tryAcquire(path("lock")));
}

TEST_F(FilesTest, KeepsTheLockWhenAChildAsksForItAndEnds) {
    const auto lock = FileLock::tryAcquire(path("lock"));
    ASSERT_TRUE(lock);

    Child child([this] {
        const bool isRefused = !FileLock::tryAcquire(path("lock"));
        return isRefused && FileLock::holder(path("lock")) == ::getppid();
    });
    child.end();

    EXPECT_TRUE(child.succeeded());
    EXPECT_EQ(FileLock::holder(path("lock")), ::getpid());
    EXPECT_FALSE(FileLock::tryAcquire(path("lock")));
}

TEST_F(FilesTest, WaitsUntilTheLockIsFree) {
    EXPECT_TRUE(FileLock::waitUntilFree(path("lock")));  // there is none
    auto lock = FileLock::tryAcquire(path("lock"));
    ASSERT_TRUE(lock);
    auto wait = std::async(std::launch::async,
                           [this] { return FileLock::waitUntilFree(path("lock")).has_value(); });

    EXPECT_EQ(wait.wait_for(std::chrono::milliseconds(30)), std::future_status::timeout);
    { const FileLock released = *std::move(lock); }

    EXPECT_TRUE(wait.get());
    EXPECT_EQ(FileLock::holder(path("lock")), std::nullopt);
}

TEST_F(FilesTest, SaysWhyItCannotLock) {
    EXPECT_EQ(FileLock::tryAcquire(path("none") / "lock").error().code, ErrorCode::NotFound);
}

}  // namespace
}  // namespace bifocal
