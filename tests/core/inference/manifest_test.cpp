// SPDX-License-Identifier: Apache-2.0
#include "core/inference/manifest.h"

#include "core/base/files.h"
#include "core/inference/label_mixture.h"
#include "core/inference/sha256.h"

#include <gtest/gtest.h>

#include <filesystem>
#include <functional>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

namespace bifocal {
namespace {

using Json = nlohmann::json;

PackManifest manifest() {
    PackManifest m;
    m.id = "test-1-00000000";
    m.name = "Test";
    m.architecture = kLabelMixture;
    m.licence = "Apache-2.0";
    m.layout = labelMixtureLayout();
    m.scripts = {Script::Latin, Script::Cyrillic};
    m.maxTokens = 128;
    m.files = {{"vocab.txt", 3, sha256({}), "Apache-2.0", "source"}};
    m.sources = {{"source", "1.0", "source-1.0.whl", 12, sha256({}), "MIT", "its metadata only"}};
    return m;
}

TEST(Manifest, RoundTrip) {
    const auto parsed = parseManifest(toJson(manifest()));
    ASSERT_TRUE(parsed) << parsed.error().message;
    EXPECT_EQ(*parsed, manifest());
}

TEST(Manifest, ARecogniserHasAKindAndNoLayout) {
    PackManifest speech = manifest();
    speech.kind = PackKind::Speech;
    speech.layout = {};
    const auto parsed = parseManifest(toJson(speech));
    ASSERT_TRUE(parsed) << parsed.error().message;
    EXPECT_EQ(*parsed, speech);
    EXPECT_EQ(toJson(manifest()).find("kind"), std::string::npos);

    Json withLayout = Json::parse(toJson(manifest()));
    withLayout["kind"] = "speech";
    EXPECT_EQ(parseManifest(withLayout.dump()).error().code, ErrorCode::Corruption);
    withLayout["kind"] = "smell";
    EXPECT_EQ(parseManifest(withLayout.dump()).error().code, ErrorCode::Corruption);
}

TEST(Manifest, NamesTheFieldThatIsWrong) {
    struct Case {
        std::function<void(Json&)> change;
        std::string expected;
        ErrorCode code = ErrorCode::Corruption;
    };
    const std::vector<Case> cases{
        {[](Json& j) { j["schema"] = 2; }, "schema 2", ErrorCode::Unsupported},
        {[](Json& j) { j.erase("schema"); }, "schema"},
        {[](Json& j) { j["id"] = ""; }, "'id'"},
        {[](Json& j) { j["id"] = 5; }, "'id'"},
        {[](Json& j) { j.erase("architecture"); }, "'architecture'"},
        {[](Json& j) { j["maxTokens"] = -1; }, "'maxTokens'"},
        {[](Json& j) { j["maxTokens"] = 100'000; }, "'maxTokens'"},
        {[](Json& j) { j.erase("layout"); }, "'layout'"},
        {[](Json& j) { j["layout"] = "x"; }, "'dim'"},
        {[](Json& j) { j["layout"]["strideBytes"] = 100; }, "stride"},
        {[](Json& j) { j["layout"]["blocks"][0]["lens"] = "feet"; }, "'lens'"},
        {[](Json& j) { j["layout"]["blocks"][1]["offset"] = 100; }, "overlap"},
        {[](Json& j) { j["scripts"][0] = "klingon"; }, "klingon"},
        {[](Json& j) { j["scripts"][0] = 3; }, "'scripts'"},
        {[](Json& j) { j["files"] = "x"; }, "'files'"},
        {[](Json& j) { j["files"][0]["name"] = "../vocab.txt"; }, "../vocab.txt"},
        {[](Json& j) { j["files"][0]["name"] = "/etc/passwd"; }, "/etc/passwd"},
        {[](Json& j) { j["files"][0]["name"] = ".."; }, "'name'"},
        {[](Json& j) { j["files"][0]["sha256"] = "abc"; }, "vocab.txt"},
        {[](Json& j) { j["files"][0]["licence"] = ""; }, "'licence'"},
        {[](Json& j) { j["files"].push_back(j["files"][0]); }, "twice"},
        {[](Json& j) { j["sources"][0]["file"] = "a/b"; }, "a/b"},
        {[](Json& j) { j["sources"][0].erase("licenceBasis"); }, "'licenceBasis'"},
    };
    for (const Case& one : cases) {
        Json json = Json::parse(toJson(manifest()));
        one.change(json);
        const auto parsed = parseManifest(json.dump());
        ASSERT_FALSE(parsed) << one.expected;
        EXPECT_EQ(parsed.error().code, one.code) << parsed.error().message;
        EXPECT_NE(parsed.error().message.find(one.expected), std::string::npos)
            << parsed.error().message;
    }
    EXPECT_FALSE(parseManifest(""));
    EXPECT_FALSE(parseManifest("[1]"));
}

TEST(Manifest, ReadsAFileOnlyWhenItIsTheOneNamed) {
    const std::filesystem::path folder =
        std::filesystem::path(testing::TempDir()) / "bifocal_manifest_test";
    std::filesystem::remove_all(folder);
    ASSERT_TRUE(makeDirectories(folder));
    EXPECT_EQ(readManifest(folder).error().code, ErrorCode::NotFound);
    const std::string content = "abc";
    PackManifest m = manifest();
    m.files[0].sha256 = sha256({reinterpret_cast<const std::uint8_t*>(content.data()), 3});
    ASSERT_TRUE(writeFileAtomically(folder / kManifestName, toJson(m)));
    const auto read = readManifest(folder);
    ASSERT_TRUE(read) << read.error().message;
    EXPECT_EQ(*read, m);

    EXPECT_EQ(readPackFile(folder, m, "vocab.txt").error().code, ErrorCode::NotFound);
    EXPECT_EQ(readPackFile(folder, m, "other.txt").error().code, ErrorCode::NotFound);
    ASSERT_TRUE(writeFileAtomically(folder / "vocab.txt", std::string("abcd")));
    const auto longer = readPackFile(folder, m, "vocab.txt");
    ASSERT_FALSE(longer);
    EXPECT_EQ(longer.error().code, ErrorCode::Corruption);
    ASSERT_TRUE(writeFileAtomically(folder / "vocab.txt", std::string("abd")));
    const auto other = readPackFile(folder, m, "vocab.txt");
    ASSERT_FALSE(other);
    EXPECT_NE(other.error().message.find("sha256 mismatch"), std::string::npos);
    ASSERT_TRUE(writeFileAtomically(folder / "vocab.txt", content));
    EXPECT_TRUE(readPackFile(folder, m, "vocab.txt"));
    std::filesystem::remove_all(folder);
}

}  // namespace
}  // namespace bifocal
