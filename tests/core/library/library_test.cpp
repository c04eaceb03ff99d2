// SPDX-License-Identifier: Apache-2.0
#include "core/library/library.h"

#include "tests/core/library/library_fixture.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <chrono>
#include <fstream>

#include <sched.h>
#include <sys/mount.h>
#include <sys/wait.h>
#include <unistd.h>

namespace bifocal::library {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;
using ::testing::SizeIs;

class LibraryTest : public ::testing::Test {
protected:
    void SetUp() override {
        library_ = openOrFail(folder_.path() / "a" / "library", LibraryAccess::Write);
        pictures_ = *library_->addCollection("/pictures");
    }

    void put(std::initializer_list<FileRecord> files) {
        LibraryChange change;
        change.upserts = files;
        const auto outcome = library_->apply(change);
        ASSERT_TRUE(outcome) << outcome.error().message;
    }

    TemporaryFolder folder_;
    std::unique_ptr<Library> library_;
    CollectionId pictures_;
};

TEST_F(LibraryTest, GivesBackEveryFieldOfAFile) {
    const FileRecord file = fileOf(pictures_, "/pictures/a.jpg", 7);
    put({file});

    const auto found = library_->fileAt("/pictures/a.jpg");

    ASSERT_TRUE(found && *found);
    EXPECT_TRUE((*found)->id);
    EXPECT_EQ((*found)->collection, pictures_);
    EXPECT_EQ((*found)->path, file.path);
    EXPECT_EQ((*found)->stamp, file.stamp);
    EXPECT_EQ((*found)->content, file.content);
    EXPECT_EQ((*found)->width, 640);
    EXPECT_EQ((*found)->height, 480);
    EXPECT_EQ((*found)->perceptualHash, file.perceptualHash);
    EXPECT_FALSE(*library_->fileAt("/pictures/b.jpg"));
}

TEST_F(LibraryTest, PathsAreBytes) {
    const std::vector<std::string> names{
        "\xff\xfe broken", "写真.jpg", "é.jpg", "e\xcc\x81.jpg", "new\nline", "quote'\"%_"};
    for (std::size_t at = 0; at < names.size(); ++at) {
        put({fileOf(pictures_, "/pictures/" + names[at], at)});
    }

    const auto known = library_->knownFiles(pictures_);

    ASSERT_TRUE(known);
    EXPECT_THAT(*known, SizeIs(names.size()));
    for (std::size_t at = 0; at < names.size(); ++at) {
        const auto entry = known->find("/pictures/" + names[at]);
        ASSERT_NE(entry, known->end()) << names[at];
        EXPECT_EQ(entry->second.content, keyOf(at));
        EXPECT_TRUE((*library_->fileAt("/pictures/" + names[at])).has_value());
    }
}

TEST_F(LibraryTest, TheSamePathIsTheSameFile) {
    put({fileOf(pictures_, "/pictures/a.jpg", 1)});
    const FileId id = (*library_->fileAt("/pictures/a.jpg"))->id;

    put({fileOf(pictures_, "/pictures/a.jpg", 2)});

    const auto found = *library_->fileAt("/pictures/a.jpg");
    EXPECT_EQ(found->id, id);
    EXPECT_EQ(found->content, keyOf(2));
    EXPECT_EQ(*library_->fileCount(), 1U);
}

TEST_F(LibraryTest, AFailureAndAFileReplaceEachOther) {
    put({fileOf(pictures_, "/pictures/a.jpg", 1)});
    LibraryChange broken;
    broken.failures.push_back(
        {pictures_, "/pictures/a.jpg", {5, 6, 7}, ErrorCode::Corruption, "cut off"});
    ASSERT_TRUE(library_->apply(broken));
    EXPECT_EQ(*library_->fileCount(), 0U);
    const auto failures = *library_->failures(pictures_);
    ASSERT_THAT(failures, SizeIs(1));
    EXPECT_EQ(failures[0].path, "/pictures/a.jpg");
    EXPECT_EQ(failures[0].stamp, (FileStamp{5, 6, 7}));
    EXPECT_EQ(failures[0].code, ErrorCode::Corruption);
    EXPECT_EQ(failures[0].reason, "cut off");
    const auto known = *library_->knownFiles(pictures_);
    ASSERT_THAT(known, SizeIs(1));
    EXPECT_TRUE(known.at("/pictures/a.jpg").isFailure);
    EXPECT_EQ(known.at("/pictures/a.jpg").stamp, (FileStamp{5, 6, 7}));

    put({fileOf(pictures_, "/pictures/a.jpg", 3)});

    EXPECT_THAT(*library_->failures(std::nullopt), IsEmpty());
    EXPECT_EQ(*library_->fileCount(), 1U);
}

TEST_F(LibraryTest, ForgottenFailuresAreReadAgain) {
    LibraryChange broken;
    for (const char* name : {"/pictures/a", "/pictures/b", "/pictures/c"}) {
        broken.failures.push_back({pictures_, name, {}, ErrorCode::Corruption, ""});
    }
    ASSERT_TRUE(library_->apply(broken));

    ASSERT_TRUE(
        library_->forgetFailures(pictures_, std::vector<std::filesystem::path>{"/pictures/b"}));
    EXPECT_THAT(*library_->failures(pictures_), SizeIs(2));
    LibraryChange gone;
    gone.collection = pictures_;
    gone.failureRemovals = {"/pictures/a"};
    ASSERT_TRUE(library_->apply(gone));
    EXPECT_THAT(*library_->failures(pictures_), SizeIs(1));
    ASSERT_TRUE(library_->forgetFailures(pictures_, {}));
    EXPECT_THAT(*library_->failures(std::nullopt), IsEmpty());
}

TEST_F(LibraryTest, FindsByContentAndByAppearance) {
    const CollectionId other = *library_->addCollection("/other");
    FileRecord twin = fileOf(other, "/other/a.jpg", 1);
    FileRecord plain = fileOf(pictures_, "/pictures/plain.png", 2);
    plain.perceptualHash = 0;
    put({fileOf(pictures_, "/pictures/a.jpg", 1), twin, plain});

    const auto same = *library_->filesWithContent(keyOf(1));

    ASSERT_THAT(same, SizeIs(2));
    EXPECT_EQ(same[0].path, "/pictures/a.jpg");
    EXPECT_EQ(same[1].path, "/other/a.jpg");
    EXPECT_LT(same[0].id, same[1].id);
    EXPECT_THAT(*library_->filesWithContent(keyOf(99)), IsEmpty());
    EXPECT_THAT(*library_->filesWithPerceptualHash(twin.perceptualHash), SizeIs(2));
    EXPECT_THAT(*library_->filesWithPerceptualHash(0), IsEmpty());
    EXPECT_THAT(*library_->allContents(), SizeIs(2));
}

TEST_F(LibraryTest, NewestFirst) {
    const CollectionId other = *library_->addCollection("/other");
    FileRecord early = fileOf(pictures_, "/pictures/3", 3);
    early.stamp.modifiedNanoseconds = -5;
    put({fileOf(pictures_, "/pictures/1", 1),
         fileOf(other, "/other/9", 9),
         fileOf(pictures_, "/pictures/5", 5),
         fileOf(pictures_, "/pictures/5b", 5),
         early});
    const auto paths = [](const Result<std::vector<FileRecord>>& files) {
        std::vector<std::string> names;
        for (const FileRecord& file : *files) {
            names.push_back(file.path.string());
        }
        return names;
    };

    EXPECT_THAT(
        paths(library_->newestFiles(std::nullopt, 0, SIZE_MAX)),
        ElementsAre("/other/9", "/pictures/5b", "/pictures/5", "/pictures/1", "/pictures/3"));
    EXPECT_THAT(paths(library_->newestFiles(pictures_, 1, 2)),
                ElementsAre("/pictures/5", "/pictures/1"));
    EXPECT_THAT(paths(library_->newestFiles(pictures_, 10, 2)), IsEmpty());
}

TEST_F(LibraryTest, ContentsMatchCollectionsAndTimes) {
    using std::chrono::seconds;
    using std::chrono::sys_seconds;
    const CollectionId other = *library_->addCollection("/other");
    const auto at = [](FileRecord file, std::int64_t second) {
        file.stamp.modifiedNanoseconds = second * 1'000'000'000;
        return file;
    };
    put({at(fileOf(pictures_, "/pictures/1", 1), 100),
         at(fileOf(pictures_, "/pictures/2", 2), 200),
         at(fileOf(other, "/other/2", 2), 300),
         at(fileOf(other, "/other/3", 3), 300)});
    const auto count = [&](std::vector<CollectionId> collections,
                           std::optional<std::int64_t> after,
                           std::optional<std::int64_t> before) {
        const auto time = [](std::optional<std::int64_t> second) {
            return second ? std::optional(sys_seconds(seconds(*second))) : std::nullopt;
        };
        return library_->contentsMatching(collections, time(after), time(before))->size();
    };

    EXPECT_EQ(count({}, {}, {}), 3U);
    EXPECT_EQ(count({pictures_}, {}, {}), 2U);
    EXPECT_EQ(count({pictures_, other}, {}, {}), 3U);
    EXPECT_EQ(count({}, 200, {}), 2U);
    EXPECT_EQ(count({}, {}, 200), 1U);
    EXPECT_EQ(count({pictures_}, 100, 201), 2U);
    EXPECT_EQ(count({other}, {}, 300), 0U);
    EXPECT_EQ(count({}, std::numeric_limits<std::int64_t>::max(), {}), 0U);
    EXPECT_EQ(count({CollectionId{77}}, {}, {}), 0U);
}

TEST_F(LibraryTest, OneFolderIsOneCollection) {
    const std::filesystem::path real = folder_.path() / "real";
    std::filesystem::create_directories(real / "sub");
    std::filesystem::create_directory_symlink(real, folder_.path() / "link");
    const CollectionId id = *library_->addCollection(real);

    EXPECT_EQ(*library_->addCollection(real.string() + "/"), id);
    EXPECT_EQ(*library_->addCollection(folder_.path() / "link"), id);
    EXPECT_EQ(*library_->addCollection(real / "sub" / ".."), id);
    EXPECT_NE(*library_->addCollection(real / "sub"), id);
    EXPECT_EQ(library_->addCollection("relative").error().code, ErrorCode::InvalidArgument);
    EXPECT_EQ((*library_->collections())[1].root, real);
}

TEST_F(LibraryTest, CollectionsCountAndGoWithTheirFiles) {
    const CollectionId other = *library_->addCollection("/other");
    put({fileOf(pictures_, "/pictures/1", 1), fileOf(other, "/other/1", 1)});
    LibraryChange broken;
    broken.failures.push_back({pictures_, "/pictures/x", {}, ErrorCode::Unsupported, "?"});
    ASSERT_TRUE(library_->apply(broken));
    const auto when = std::chrono::sys_seconds(std::chrono::seconds(1234567));
    ASSERT_TRUE(library_->markScanned(pictures_, when));

    const auto before = *library_->collections();
    ASSERT_THAT(before, SizeIs(2));
    EXPECT_EQ(before[0].fileCount, 1U);
    EXPECT_EQ(before[0].failureCount, 1U);
    EXPECT_EQ(before[0].lastScan, when);
    EXPECT_EQ(before[1].lastScan, std::nullopt);

    ASSERT_TRUE(library_->removeCollection(pictures_));

    EXPECT_THAT(*library_->collections(), SizeIs(1));
    EXPECT_EQ(*library_->fileCount(), 1U);
    EXPECT_THAT(*library_->failures(std::nullopt), IsEmpty());
    EXPECT_EQ(library_->removeCollection(pictures_).error().code, ErrorCode::NotFound);
    EXPECT_EQ(library_->markScanned(pictures_, when).error().code, ErrorCode::NotFound);
    EXPECT_NE(*library_->addCollection("/pictures"), pictures_) << "an id is never used again";
}

TEST_F(LibraryTest, AChangeIsAppliedAsAWholeOrNotAtAll) {
    put({fileOf(pictures_, "/pictures/1", 1)});
    const std::uint64_t generation = *library_->generation();
    LibraryChange change;
    change.removals = {(*library_->fileAt("/pictures/1"))->id};
    change.upserts = {fileOf(pictures_, "/pictures/2", 2),
                      fileOf(CollectionId{999}, "/nowhere/1", 3)};

    const auto outcome = library_->apply(change);

    ASSERT_FALSE(outcome);
    EXPECT_EQ(outcome.error().code, ErrorCode::NotFound);
    EXPECT_TRUE((*library_->fileAt("/pictures/1")).has_value());
    EXPECT_FALSE((*library_->fileAt("/pictures/2")).has_value());
    EXPECT_EQ(*library_->generation(), generation);
    EXPECT_TRUE(library_->apply({})) << "no change is none";
    EXPECT_EQ(*library_->generation(), generation);
}

TEST_F(LibraryTest, AReaderSeesCommitsAndChangesNothing) {
    const auto reader = openOrFail(folder_.path() / "a" / "library", LibraryAccess::Read);
    const std::uint64_t generation = *reader->generation();

    put({fileOf(pictures_, "/pictures/1", 1)});

    EXPECT_EQ(*reader->fileCount(), 1U);
    EXPECT_GT(*reader->generation(), generation);
    LibraryChange change;
    change.upserts = {fileOf(pictures_, "/pictures/2", 2)};
    EXPECT_EQ(reader->apply(change).error().code, ErrorCode::InvalidArgument);
    EXPECT_EQ(reader->addCollection("/new").error().code, ErrorCode::InvalidArgument);
    EXPECT_EQ(*reader->addCollection("/pictures"), pictures_);
    EXPECT_THAT(reader->check()->problems, IsEmpty());
}

TEST_F(LibraryTest, ReadingMakesAnEmptyLibrary) {
    const std::filesystem::path directory = folder_.path() / "none" / "yet";

    const auto reader = openOrFail(directory, LibraryAccess::Read);

    EXPECT_EQ(*reader->fileCount(), 0U);
    EXPECT_THAT(*reader->collections(), IsEmpty());
    const auto writer = openOrFail(directory, LibraryAccess::Write);
    ASSERT_TRUE(writer->addCollection("/pictures"));
    EXPECT_THAT(*reader->collections(), SizeIs(1));
}

/// Several programs that start at once on a library that is not there.
TEST_F(LibraryTest, ProcessesMayMakeItAtOnce) {
    const std::filesystem::path directory = folder_.path() / "crowd";
    std::vector<pid_t> children;
    for (int number = 0; number < 6; ++number) {
        const pid_t child = ::fork();
        ASSERT_GE(child, 0);
        if (child == 0) {
            const auto library =
                Library::open(directory, number == 0 ? LibraryAccess::Write : LibraryAccess::Read);
            ::_exit(library && (*library)->fileCount() ? 0 : 1);
        }
        children.push_back(child);
    }
    for (const pid_t child : children) {
        int status = 0;
        ASSERT_EQ(::waitpid(child, &status, 0), child);
        EXPECT_TRUE(WIFEXITED(status) && WEXITSTATUS(status) == 0);
    }
    EXPECT_THAT(openOrFail(directory, LibraryAccess::Read)->check()->problems, IsEmpty());
}

/// A reader in this process, a writer in another one.
TEST_F(LibraryTest, AReaderFollowsAnotherProcess) {
    library_.reset();  // no connection may cross a fork
    const std::filesystem::path directory = folder_.path() / "a" / "library";
    const pid_t child = ::fork();
    ASSERT_GE(child, 0);
    if (child == 0) {
        const auto writer = Library::open(directory, LibraryAccess::Write);
        bool isGood = writer.has_value();
        for (std::uint64_t number = 0; isGood && number < 200; ++number) {
            LibraryChange change;
            change.upserts = {
                fileOf(pictures_, "/pictures/" + std::to_string(2 * number), number),
                fileOf(pictures_, "/pictures/" + std::to_string(2 * number + 1), number)};
            isGood = (*writer)->apply(change).has_value();
        }
        ::_exit(isGood ? 0 : 1);
    }
    const auto reader = openOrFail(directory, LibraryAccess::Read);
    std::uint64_t count = 0;
    std::uint64_t generation = 0;
    int status = 0;
    bool isRunning = true;
    while (isRunning) {
        isRunning = ::waitpid(child, &status, WNOHANG) == 0;
        const auto known = reader->knownFiles(pictures_);
        ASSERT_TRUE(known) << known.error().message;
        ASSERT_EQ(known->size() % 2, 0U) << "a commit in part";
        ASSERT_GE(known->size(), count);
        const auto now = reader->generation();
        ASSERT_TRUE(now);
        ASSERT_GE(*now, generation);
        count = known->size();
        generation = *now;
    }
    EXPECT_TRUE(WIFEXITED(status) && WEXITSTATUS(status) == 0);
    EXPECT_EQ(*reader->fileCount(), 400U);
}

TEST_F(LibraryTest, SomethingElseIsCorruption) {
    const std::filesystem::path directory = folder_.path() / "else";
    std::filesystem::create_directories(directory);
    std::ofstream(directory / "library.sqlite") << std::string(5000, 'x');

    const auto library = Library::open(directory, LibraryAccess::Read);

    ASSERT_FALSE(library);
    EXPECT_EQ(library.error().code, ErrorCode::Corruption);
}

TEST_F(LibraryTest, DoctorFindsDamage) {
    for (std::uint64_t number = 0; number < 400; ++number) {
        put({fileOf(
            pictures_, "/pictures/" + std::string(60, 'a') + std::to_string(number), number)});
    }
    EXPECT_THAT(library_->check()->problems, IsEmpty());
    library_.reset();
    const std::filesystem::path file = folder_.path() / "a" / "library" / "library.sqlite";
    std::fstream damage(file, std::ios::binary | std::ios::in | std::ios::out);
    for (std::uint64_t offset = 4096 * 6; offset < std::filesystem::file_size(file);
         offset += 4096) {
        damage.seekp(static_cast<std::streamoff>(offset + 3));
        damage.put('\x7f');
    }
    damage.close();

    const auto library = Library::open(file.parent_path(), LibraryAccess::Read);

    ASSERT_TRUE(library) << library.error().message;
    const auto check = (*library)->check();
    ASSERT_TRUE(check) << check.error().message;
    EXPECT_FALSE(check->problems.empty());
}

TEST_F(LibraryTest, NamesItsFiles) {
    EXPECT_EQ(libraryLockFile("/l"), "/l/lock");
    EXPECT_EQ(libraryVectorFile("/l", "starter-1.0"), "/l/vectors/starter-1.0.bfv");
    EXPECT_EQ(libraryVectorFile("/l", "../a/b"), "/l/vectors/%2e.%2fa%2fb.bfv");
}

enum Exit { Good = 0, Bad = 1, Skipped = 77 };

/// In a child with mounts of its own: a file system that was filled, then made read-only.
int readFromReadOnlyMedia(const std::filesystem::path& mountPoint) {
    if (::unshare(CLONE_NEWNS) != 0 ||
        ::mount(nullptr, "/", nullptr, MS_REC | MS_PRIVATE, nullptr) != 0 ||
        ::mount("tmpfs", mountPoint.c_str(), "tmpfs", 0, "size=8m") != 0) {
        return Skipped;
    }
    const std::filesystem::path directory = mountPoint / "lib rary%3f";
    {
        const auto writer = Library::open(directory, LibraryAccess::Write);
        if (!writer || !(*writer)->addCollection("/pictures")) {
            return Bad;
        }
    }
    if (::mount(nullptr, mountPoint.c_str(), nullptr, MS_REMOUNT | MS_RDONLY, nullptr) != 0) {
        return Skipped;
    }
    const auto reader = Library::open(directory, LibraryAccess::Read);
    const auto none = Library::open(mountPoint, LibraryAccess::Read);
    const bool isGood = reader && (*reader)->collections()->size() == 1 &&
                        (*reader)->check()->problems.empty() && !none &&
                        none.error().code == ErrorCode::NotFound;
    return isGood ? Good : Bad;
}

TEST_F(LibraryTest, ReadsFromReadOnlyMedia) {
    const pid_t child = ::fork();
    ASSERT_GE(child, 0);
    if (child == 0) {
        ::_exit(readFromReadOnlyMedia(folder_.path()));
    }
    int status = 0;
    ASSERT_EQ(::waitpid(child, &status, 0), child);
    ASSERT_TRUE(WIFEXITED(status));
    if (WEXITSTATUS(status) == Skipped) {
        GTEST_SKIP() << "no right to mount a file system here";
    }
    EXPECT_EQ(WEXITSTATUS(status), Good);
}

}  // namespace
}  // namespace bifocal::library
