// SPDX-License-Identifier: Apache-2.0
#include "models/convert/archive.h"

#include "core/base/files.h"

#include <gtest/gtest.h>

#include <filesystem>
#include <string>
#include <utility>
#include <vector>

#include <zip.h>

namespace bifocal::models {
namespace {

namespace fs = std::filesystem;

using Entries = std::vector<std::pair<std::string, std::string>>;

/// A zip with these entries, stored without compression.
fs::path makeZip(const char* name, const Entries& entries) {
    const fs::path path = fs::path(testing::TempDir()) / name;
    fs::remove(path);
    zip_t* archive = zip_open(path.c_str(), ZIP_CREATE, nullptr);
    EXPECT_NE(archive, nullptr);
    for (const auto& [entry, content] : entries) {
        zip_source_t* source = zip_source_buffer(archive, content.data(), content.size(), 0);
        const zip_int64_t index = zip_file_add(archive, entry.c_str(), source, ZIP_FL_ENC_UTF_8);
        EXPECT_GE(index, 0);
        zip_set_file_compression(archive, static_cast<zip_uint64_t>(index), ZIP_CM_STORE, 0);
    }
    EXPECT_EQ(zip_close(archive), 0);
    return path;
}

TEST(Archive, ReadsAnEntry) {
    const fs::path path = makeZip("bifocal_good.zip", {{"a/b.txt", "hello"}, {"empty", ""}});
    auto archive = Archive::open(path);
    ASSERT_TRUE(archive) << archive.error().message;
    const auto bytes = archive->read("a/b.txt", 100);
    ASSERT_TRUE(bytes) << bytes.error().message;
    EXPECT_EQ(std::string(bytes->begin(), bytes->end()), "hello");
    EXPECT_TRUE(archive->read("empty", 100)->empty());
    EXPECT_EQ(archive->read("c", 100).error().code, ErrorCode::NotFound);
    EXPECT_EQ(archive->read("a/b.txt", 4).error().code, ErrorCode::ResourceExhausted);
}

TEST(Archive, RefusesNamesThatClimbOut) {
    for (const char* name :
         {"../evil", "a/../../evil", "/etc/passwd", "a/..", "..", "a\\b", "C:evil"}) {
        EXPECT_FALSE(isSafeEntryName(name)) << name;
        const auto archive =
            Archive::open(makeZip("bifocal_evil.zip", {{"good", "x"}, {name, "y"}}));
        ASSERT_FALSE(archive) << name;
        EXPECT_EQ(archive.error().code, ErrorCode::Corruption);
        EXPECT_NE(archive.error().message.find(name), std::string::npos) << archive.error().message;
    }
    EXPECT_TRUE(isSafeEntryName("a/b..c/.d"));
    EXPECT_FALSE(isSafeEntryName(""));
    EXPECT_FALSE(isSafeEntryName("a\nb"));
}

TEST(Archive, RefusesWhatIsNoZip) {
    EXPECT_EQ(Archive::open("/nonexistent/file.whl").error().code, ErrorCode::NotFound);
    const fs::path path = fs::path(testing::TempDir()) / "bifocal_text.zip";
    ASSERT_TRUE(writeFileAtomically(path, std::string("no zip at all")));
    EXPECT_EQ(Archive::open(path).error().code, ErrorCode::Corruption);
}

TEST(Archive, NoticesChangedAndMissingBytes) {
    const std::string content(1000, 'q');
    const fs::path path = makeZip("bifocal_changed.zip", {{"a", content}});
    std::vector<std::uint8_t> bytes = *readFile(path);
    const auto at = std::search(bytes.begin(), bytes.end(), content.begin(), content.end());
    ASSERT_NE(at, bytes.end());
    *(at + 500) = 'r';
    ASSERT_TRUE(writeFileAtomically(path, bytes));
    auto changed = Archive::open(path);
    ASSERT_TRUE(changed);
    EXPECT_EQ(changed->read("a", 2000).error().code, ErrorCode::Corruption);
    bytes.resize(bytes.size() / 2);
    ASSERT_TRUE(writeFileAtomically(path, bytes));
    EXPECT_FALSE(Archive::open(path));
}

}  // namespace
}  // namespace bifocal::models
