// SPDX-License-Identifier: Apache-2.0
#include "app/cli/prompt_options.h"

#include "core/base/files.h"

#include <gtest/gtest.h>

#include <chrono>
#include <filesystem>
#include <string>
#include <vector>

namespace bifocal::cli {
namespace {

Result<Prompt> prompt(const std::vector<std::string>& words) {
    const auto arguments = Arguments::parse(words, withPromptOptions({}));
    return arguments ? promptFrom(*arguments) : Result<Prompt>(arguments.error());
}

TEST(PromptOptionsTest, DescribesAPrompt) {
    const auto made = prompt({"--text",
                              "a flower",
                              "--image",
                              "a.png",
                              "--region",
                              "1,2,30,40",
                              "--minus",
                              "red",
                              "--minus",
                              "tree",
                              "--balance",
                              "0.25",
                              "--names",
                              "0.5",
                              "-k",
                              "3"});

    ASSERT_TRUE(made);
    EXPECT_EQ(made->text, "a flower");
    EXPECT_EQ(made->negatives, (std::vector<std::string>{"red", "tree"}));
    EXPECT_DOUBLE_EQ(made->balance, 0.25);
    EXPECT_DOUBLE_EQ(made->nameWeight, 0.5);
    EXPECT_EQ(made->resultCount, 3);
    ASSERT_TRUE(made->image);
    EXPECT_EQ(std::get<ImageFile>(made->image->source).path, "a.png");
    EXPECT_EQ(made->image->region, (PixelRect{1, 2, 30, 40}));
}

TEST(PromptOptionsTest, IsAsStrictAsAsked) {
    EXPECT_EQ(prompt({"--text", "a"})->strictness, Strictness::Any);
    EXPECT_EQ(prompt({"--text", "a", "--strictness", "fair"})->strictness, Strictness::Fair);
    EXPECT_EQ(prompt({"--text", "a", "--strictness", "strong"})->strictness, Strictness::Strong);
    EXPECT_EQ(prompt({"--text", "a", "--strictness", "very"}).error().code,
              ErrorCode::InvalidArgument);
}

TEST(PromptOptionsTest, FiltersAndSorts) {
    const auto made = prompt({"--text",
                              "a",
                              "--sort",
                              "newest",
                              "--type",
                              "jpg",
                              "--type",
                              "PNG",
                              "--after",
                              "2024-02-29",
                              "--min-kb",
                              "20",
                              "--folder",
                              "/x/../y/"});
    ASSERT_TRUE(made) << made.error().message;
    EXPECT_EQ(made->order, SortOrder::Newest);
    EXPECT_EQ(made->filters.types, (std::vector<std::string>{"jpg", "PNG"}));
    EXPECT_EQ(made->filters.smallestBytes, 20'000U);
    EXPECT_FALSE(made->filters.largestBytes);
    EXPECT_EQ(made->filters.modifiedAfter, std::chrono::sys_days(std::chrono::year(2024) / 2 / 29));
    EXPECT_TRUE(passesFile(made->filters, "/y/a/b.JPEG", 20'000));
    EXPECT_FALSE(passesFile(made->filters, "/yz/b.jpg", 20'000));
    EXPECT_FALSE(passesFile(made->filters, "/y/b.jpg", 19'999));
    EXPECT_FALSE(passesFile(made->filters, "/y/b.webp", 20'000));

    for (const std::string day :
         {"2023-02-29", "2024", "2024-01-32", "", "01-02-2024x", "-1-1-1", "2024-01-02-03"}) {
        EXPECT_FALSE(prompt({"--text", "a", "--before", day})) << day;
    }
    EXPECT_FALSE(prompt({"--text", "a", "--sort", "random"}));
    EXPECT_FALSE(prompt({"--text", "a", "--max-kb", "-1"}));
}

TEST(PromptOptionsTest, TakesTheFrameOfAVideo) {
    const auto made = prompt({"--image", "a.mp4", "--at", "1500"});

    ASSERT_TRUE(made);
    const auto& frame = std::get<VideoFrame>(made->image->source);
    EXPECT_EQ(frame.path, "a.mp4");
    EXPECT_EQ(frame.time, std::chrono::milliseconds(1500));
}

TEST(PromptOptionsTest, ReadsWhatWasSaid) {
    // A WAV header, then one sample of 0x4000.
    const std::string wav(
        "RIFF\0\0\0\0WAVEfmt \x10\0\0\0\x01\0\x01\0\x80\x3E\0\0\0\x7D\0\0"
        "\x02\0\x10\0data\x02\0\0\0\0\x40",
        46);
    const std::filesystem::path file =
        std::filesystem::path(testing::TempDir()) / "bifocal_said.wav";
    ASSERT_TRUE(writeFileAtomically(file, wav));

    const auto made = prompt({"--speech", file.string()});

    ASSERT_TRUE(made) << made.error().message;
    ASSERT_TRUE(made->speech);
    EXPECT_EQ(made->speech->samples, std::vector<float>{0.5F});
    EXPECT_EQ(prompt({"--speech", "/nonexistent.wav"}).error().code, ErrorCode::NotFound);
}

TEST(PromptOptionsTest, HasDefaults) {
    const auto made = prompt({"--text", "x"});

    ASSERT_TRUE(made);
    EXPECT_FALSE(made->image);
    EXPECT_DOUBLE_EQ(made->balance, 0.5);
    EXPECT_EQ(made->resultCount, 10);
}

TEST(PromptOptionsTest, RefusesWhatCannotBeMeant) {
    const std::vector<std::vector<std::string>> kWrong{
        {"--balance", "1.01"},
        {"--balance", "-0.1"},
        {"-k", "0"},
        {"-k", "1001"},
        {"--at", "5"},
        {"--region", "1,2,3,4"},
        {"--image", "a", "--region", "1,2,3"},
        {"--image", "a", "--region", "1,2,3,4,5"},
        {"--image", "a", "--region", "1;2;3;4"},
        {"--image", "a", "--region", "-1,2,3,4"},
        {"--image", "a", "--region", "1,2,3,99999999"},
        {"--image", "a", "--at", "-1"}};
    for (const auto& words : kWrong) {
        const auto made = prompt(words);

        ASSERT_FALSE(made) << words[0] << ' ' << words[1];
        EXPECT_EQ(made.error().code, ErrorCode::InvalidArgument);
    }
}

}  // namespace
}  // namespace bifocal::cli
