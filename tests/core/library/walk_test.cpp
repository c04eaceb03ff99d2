// SPDX-License-Identifier: Apache-2.0
#include "core/library/walk.h"

#include "tests/core/library/library_fixture.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fstream>

#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

namespace bifocal::library {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;
using ::testing::SizeIs;

class WalkTest : public ::testing::Test {
protected:
    std::filesystem::path make(const std::string& name) const {
        const std::filesystem::path path = root_ / name;
        std::filesystem::create_directories(path.parent_path());
        std::ofstream(path) << name;
        return path;
    }

    /// Visited paths, without the root.
    std::vector<std::string> visited() {
        std::vector<std::string> names;
        auto outcome = walk(root_, {}, [&](const WalkEntry& entry) {
            names.push_back(entry.path.native().substr(root_.native().size() + 1));
        });
        EXPECT_TRUE(outcome) << outcome.error().message;
        problems_ = outcome ? *std::move(outcome) : std::vector<WalkProblem>();
        return names;
    }

    TemporaryFolder folder_;
    const std::filesystem::path root_ = folder_.path() / "root";
    std::vector<WalkProblem> problems_;
};

TEST_F(WalkTest, GoesDeepInTheOrderOfNames) {
    for (const char* name :
         {"b/2.jpg", "b/1.jpg", "a.jpg", "Z.jpg", "b/c/x.jpg", "c.jpg", "é.jpg"}) {
        make(name);
    }
    std::filesystem::create_directory(root_ / "empty");

    EXPECT_THAT(visited(),
                ElementsAre("Z.jpg", "a.jpg", "b/1.jpg", "b/2.jpg", "b/c/x.jpg", "c.jpg", "é.jpg"));
    EXPECT_THAT(problems_, IsEmpty());
}

TEST_F(WalkTest, TellsTheStampOfEachFile) {
    const std::filesystem::path path = make("a.jpg");
    struct stat status {};
    ASSERT_EQ(::stat(path.c_str(), &status), 0);

    std::vector<WalkEntry> entries;
    ASSERT_TRUE(walk(root_, {}, [&](const WalkEntry& entry) { entries.push_back(entry); }));

    ASSERT_THAT(entries, SizeIs(1));
    EXPECT_EQ(entries[0].path, path);
    EXPECT_EQ(entries[0].stamp.sizeBytes, 5U);
    EXPECT_EQ(entries[0].stamp.inode, status.st_ino);
    EXPECT_EQ(entries[0].stamp.modifiedNanoseconds,
              std::int64_t{status.st_mtim.tv_sec} * 1'000'000'000 + status.st_mtim.tv_nsec);
    EXPECT_EQ(entries[0].stamp, *stampOf(path));
    EXPECT_EQ(stampOf(root_ / "none").error().code, ErrorCode::NotFound);
}

TEST_F(WalkTest, PassesByWhatIsNoPictureFolder) {
    for (const char* name : {".git/a.jpg",
                             "node_modules/b.jpg",
                             ".thumbnails/c.jpg",
                             "Trash/d.jpg",
                             ".Trash-1000/e.jpg",
                             "@eaDir/f.jpg",
                             ".cache/g.jpg",
                             "sub/.hidden/h.jpg",
                             "._i.jpg",
                             "sub/._j.jpg",
                             ".DS_Store",
                             "$RECYCLE.BIN/k.jpg",
                             "lost+found/l.jpg",
                             "sub/.visible.jpg",
                             "sub/m.jpg",
                             "Trashy/n.jpg"}) {
        make(name);
    }
    make("thumbs/o.jpg");
    std::ofstream(root_ / "thumbs" / "CACHEDIR.TAG")
        << "Signature: 8a477f597d28d172789f06886806bc55\n";
    make("tagged/p.jpg");
    std::ofstream(root_ / "tagged" / "CACHEDIR.TAG") << "not the signature";

    EXPECT_THAT(visited(),
                ElementsAre("Trashy/n.jpg",
                            "sub/.visible.jpg",
                            "sub/m.jpg",
                            "tagged/CACHEDIR.TAG",
                            "tagged/p.jpg"));
    EXPECT_THAT(problems_, IsEmpty());
}

TEST_F(WalkTest, AHiddenRootIsWalked) {
    make(".pictures/a.jpg");

    std::vector<std::filesystem::path> paths;
    ASSERT_TRUE(walk(
        root_ / ".pictures", {}, [&](const WalkEntry& entry) { paths.push_back(entry.path); }));

    EXPECT_THAT(paths, ElementsAre(root_ / ".pictures" / "a.jpg"));
}

TEST_F(WalkTest, LoopsEndAndFilesComeOnce) {
    make("a/x.jpg");
    make("b/y.jpg");
    std::filesystem::create_directory_symlink("../a", root_ / "a" / "loop");
    std::filesystem::create_directory_symlink("..", root_ / "a" / "up");
    std::filesystem::create_directory_symlink("../b", root_ / "a" / "sister");
    std::filesystem::create_symlink("x.jpg", root_ / "a" / "same.jpg");
    std::filesystem::create_symlink("self", root_ / "self");

    EXPECT_THAT(visited(), ElementsAre("a/x.jpg", "b/y.jpg"));
    ASSERT_THAT(problems_, SizeIs(1));
    EXPECT_EQ(problems_[0].path, root_ / "self");
}

TEST_F(WalkTest, LinksOutOfTheRootAreFollowed) {
    make("a.jpg");
    const std::filesystem::path outside = folder_.path() / "outside";
    std::filesystem::create_directories(outside / "sub");
    std::ofstream(outside / "sub" / "o.jpg") << "o";
    std::ofstream(outside / "single.jpg") << "single";
    std::filesystem::create_directory_symlink(root_, outside / "sub" / "back");
    std::filesystem::create_directory_symlink(outside / "sub", root_ / "out");
    std::filesystem::create_directory_symlink(outside / "sub", root_ / "out2");
    std::filesystem::create_symlink(outside / "single.jpg", root_ / "link.jpg");
    std::filesystem::create_symlink(outside / "none.jpg", root_ / "dead.jpg");
    make(".store/real/s.jpg");
    std::filesystem::create_directory_symlink(root_ / ".store" / "real", root_ / "shown");

    EXPECT_THAT(visited(), ElementsAre("a.jpg", "link.jpg", "out/o.jpg", "shown/s.jpg"));
    ASSERT_THAT(problems_, SizeIs(1));
    EXPECT_EQ(problems_[0].path, root_ / "dead.jpg");
}

TEST_F(WalkTest, AnyBytesAreAName) {
    const std::vector<std::string> names{"\x01.jpg", "\xc3\x28.jpg", "\xff\xfe"};
    for (const std::string& name : names) {
        make(name);
    }

    EXPECT_EQ(visited(), names);
    EXPECT_TRUE(contentKeyOf(root_ / names[1]));
}

TEST_F(WalkTest, LongPathsAreFilesLikeOthers) {
    const std::string part(100, 'p');
    const std::string name = part + "/" + part + "/" + part + ".jpg";
    make(name);
    make("z.jpg");

    EXPECT_THAT(visited(), ElementsAre(name, "z.jpg"));
}

TEST_F(WalkTest, PathsTooLongForTheSystemAreProblems) {
    make("z.jpg");
    const std::filesystem::path home = std::filesystem::current_path();
    std::filesystem::current_path(root_);
    const std::string part(250, 'd');
    for (int level = 0; level < 18; ++level) {
        ASSERT_EQ(::mkdir(part.c_str(), 0755), 0);
        ASSERT_EQ(::chdir(part.c_str()), 0);
    }
    std::ofstream("deep.jpg") << "deep";
    std::filesystem::current_path(home);

    EXPECT_THAT(visited(), ElementsAre("z.jpg"));
    EXPECT_THAT(problems_, SizeIs(1));
}

TEST_F(WalkTest, ThereMustBeARoot) {
    const auto none = walk(root_ / "none", {}, [](const WalkEntry&) {});
    const auto file = walk(make("a.jpg"), {}, [](const WalkEntry&) {});

    ASSERT_FALSE(none);
    EXPECT_EQ(none.error().code, ErrorCode::NotFound);
    ASSERT_FALSE(file);
    EXPECT_EQ(file.error().code, ErrorCode::InvalidArgument);
}

TEST_F(WalkTest, StopsWhenAsked) {
    for (int number = 0; number < 20; ++number) {
        make("d" + std::to_string(number) + "/a.jpg");
    }
    std::stop_source stop;
    int count = 0;

    const auto outcome = walk(root_, stop.get_token(), [&](const WalkEntry&) {
        if (++count == 3) {
            stop.request_stop();
        }
    });

    ASSERT_FALSE(outcome);
    EXPECT_EQ(outcome.error().code, ErrorCode::Cancelled);
    EXPECT_EQ(count, 3);
}

/// As an ordinary user, whom modes stop: root reads everything.
TEST_F(WalkTest, AnUnreadableFolderIsListedAndTheRestIsWalked) {
    make("a/1.jpg");
    make("closed/2.jpg");
    make("z/3.jpg");
    std::filesystem::permissions(folder_.path(), std::filesystem::perms(0755));
    std::filesystem::permissions(root_ / "closed", std::filesystem::perms::none);
    const pid_t child = ::fork();
    ASSERT_GE(child, 0);
    if (child == 0) {
        if (::geteuid() == 0 && ::setresuid(65534, 65534, 65534) != 0) {
            ::_exit(2);
        }
        std::vector<std::string> names;
        const auto outcome = walk(
            root_, {}, [&](const WalkEntry& entry) { names.push_back(entry.path.filename()); });
        const bool isGood = outcome && names == std::vector<std::string>{"1.jpg", "3.jpg"} &&
                            outcome->size() == 1 && outcome->front().path == root_ / "closed" &&
                            !outcome->front().reason.empty();
        ::_exit(isGood ? 0 : 1);
    }
    int status = 0;
    ASSERT_EQ(::waitpid(child, &status, 0), child);
    std::filesystem::permissions(root_ / "closed", std::filesystem::perms(0755));
    EXPECT_TRUE(WIFEXITED(status));
    EXPECT_EQ(WEXITSTATUS(status), 0);
}

TEST_F(WalkTest, ContentKeysAreOfBytesAlone) {
    std::string bytes(700'001, '\0');
    for (std::size_t at = 0; at < bytes.size(); ++at) {
        bytes[at] = static_cast<char>(at * 31 % 251);
    }
    std::filesystem::create_directories(root_);
    std::ofstream(root_ / "one", std::ios::binary) << bytes;
    std::ofstream(root_ / "two", std::ios::binary) << bytes;
    std::ofstream(root_ / "empty", std::ios::binary);
    const std::span whole(reinterpret_cast<const std::uint8_t*>(bytes.data()), bytes.size());

    const auto one = contentKeyOf(root_ / "one");

    ASSERT_TRUE(one);
    EXPECT_EQ(*one, *contentKeyOf(root_ / "two"));
    EXPECT_EQ(*one, contentKeyOf(whole));
    EXPECT_NE(*one, contentKeyOf(whole.first(700'000)));
    // XXH3-128 of no bytes, as its specification prints it: the form on disk never changes.
    const ContentKey ofNothing{{0x99,
                                0xaa,
                                0x06,
                                0xd3,
                                0x01,
                                0x47,
                                0x98,
                                0xd8,
                                0x60,
                                0x01,
                                0xc3,
                                0x24,
                                0x46,
                                0x8d,
                                0x49,
                                0x7f}};
    EXPECT_EQ(*contentKeyOf(root_ / "empty"), ofNothing);
    std::stop_source stop;
    stop.request_stop();
    EXPECT_EQ(contentKeyOf(root_ / "one", stop.get_token()).error().code, ErrorCode::Cancelled);
    EXPECT_EQ(contentKeyOf(root_ / "none").error().code, ErrorCode::NotFound);
    EXPECT_EQ(contentKeyOf(root_).error().code, ErrorCode::InvalidArgument);
    ASSERT_EQ(::mkfifo((root_ / "pipe").c_str(), 0644), 0);
    EXPECT_EQ(contentKeyOf(root_ / "pipe").error().code, ErrorCode::InvalidArgument);
    EXPECT_THAT(visited(), ElementsAre("empty", "one", "two"));
}

}  // namespace
}  // namespace bifocal::library
