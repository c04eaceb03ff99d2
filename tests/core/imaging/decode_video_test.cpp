// SPDX-License-Identifier: Apache-2.0
#include "core/imaging/decode.h"
#include "tests/core/imaging/test_pictures.h"

#include <gtest/gtest.h>
#include <opencv2/core/mat.hpp>
#include <opencv2/videoio.hpp>

#include <algorithm>
#include <fstream>
#include <iterator>

namespace bifocal::imaging {
namespace {

using std::chrono::milliseconds;
using test::Bytes;

constexpr int kWidth = 64;
constexpr int kHeight = 48;

using DecodeVideoFrameTest = test::SilentTest;

/// Frame i is grey 20 + 20 · i, with a white square in its upper left corner.
std::filesystem::path writeVideo(const test::TemporaryFolder& folder,
                                 const char* name,
                                 const char* codec,
                                 int frameCount) {
    const auto path = folder.path(name);
    cv::VideoWriter writer(path.string(),
                           cv::CAP_FFMPEG,
                           cv::VideoWriter::fourcc(codec[0], codec[1], codec[2], codec[3]),
                           10.0,
                           cv::Size(kWidth, kHeight));
    EXPECT_TRUE(writer.isOpened());
    for (int index = 0; index < frameCount; ++index) {
        const double grey = 20.0 + 20.0 * index;
        cv::Mat frame(kHeight, kWidth, CV_8UC3, cv::Scalar(grey, grey, grey));
        frame(cv::Rect(0, 0, 16, 16)).setTo(cv::Scalar(255, 255, 255));
        writer.write(frame);
    }
    writer.release();
    return path;
}

Bytes contentOf(const std::filesystem::path& path) {
    std::ifstream in(path, std::ios::binary);
    return {std::istreambuf_iterator<char>(in), std::istreambuf_iterator<char>()};
}

/// Which frame of writeVideo() it is.
int frameIndexOf(const DecodedImage& frame) {
    const auto& rgba = frame.image.rgba;
    return (int{rgba[rgba.size() - 4]} - 20 + 10) / 20;
}

/// Replaces what follows `name` at `offset`; the file must hold `name`.
void patch(Bytes& bytes, std::string_view name, std::size_t offset, const Bytes& with) {
    const auto at = std::search(bytes.begin(), bytes.end(), name.begin(), name.end());
    ASSERT_NE(at, bytes.end()) << name;
    std::copy(with.begin(), with.end(), at + static_cast<std::ptrdiff_t>(offset));
}

TEST_F(DecodeVideoFrameTest, GivesTheFrameShownAtATime) {
    const test::TemporaryFolder folder;
    for (const auto& [name, codec] : {std::pair("a.avi", "MJPG"), std::pair("a.mp4", "mp4v")}) {
        const auto path = writeVideo(folder, name, codec, 10);
        for (const auto& [time, index] : {std::pair(0, 0),
                                          std::pair(99, 0),
                                          std::pair(100, 1),
                                          std::pair(450, 4),
                                          std::pair(900, 9),
                                          std::pair(-5000, 0),
                                          std::pair(3'600'000, 9)}) {
            const auto frame = decodeVideoFrame(path, milliseconds(time));

            ASSERT_TRUE(frame) << frame.error().message;
            EXPECT_EQ(frameIndexOf(*frame), index) << name << " at " << time;
            EXPECT_EQ(frame->image.width, kWidth);
            EXPECT_EQ(frame->originalHeight, kHeight);
            EXPECT_EQ(frame->image.rgba[3], 255);
        }
    }
}

TEST_F(DecodeVideoFrameTest, GivesTheOnlyFrame) {
    const test::TemporaryFolder folder;
    const auto path = writeVideo(folder, "one.avi", "MJPG", 1);

    EXPECT_EQ(frameIndexOf(*decodeVideoFrame(path, milliseconds(0))), 0);
    EXPECT_EQ(frameIndexOf(*decodeVideoFrame(path, milliseconds(5000))), 0);
}

TEST_F(DecodeVideoFrameTest, AppliesTheRotation) {
    const test::TemporaryFolder folder;
    Bytes bytes = contentOf(writeVideo(folder, "a.mp4", "mp4v", 3));
    // The matrix of the track header, 16.16 numbers: a quarter turn clockwise.
    const Bytes quarterTurn{0, 0, 0, 0, 0, 1, 0, 0, 0, 0, 0, 0, 0xFF, 0xFF, 0, 0, 0, 0, 0, 0};
    patch(bytes, "tkhd", 44, quarterTurn);

    const auto frame = decodeVideoFrame(folder.write("turned.mp4", bytes), milliseconds(0));

    ASSERT_TRUE(frame) << frame.error().message;
    ASSERT_EQ(frame->image.width, kHeight);
    ASSERT_EQ(frame->image.height, kWidth);
    const auto& rgba = frame->image.rgba;
    EXPECT_GT(rgba[(kHeight - 4) * 4], 200);  // the white square is in the upper right corner now
    EXPECT_LT(rgba[4 * 4], 80);
}

TEST_F(DecodeVideoFrameTest, ReducesToTheLongSide) {
    const test::TemporaryFolder folder;
    DecodeLimits limits;
    limits.maxSide = 32;

    const auto frame =
        decodeVideoFrame(writeVideo(folder, "a.avi", "MJPG", 2), milliseconds(0), limits);

    ASSERT_TRUE(frame);
    EXPECT_EQ(frame->image.width, 32);
    EXPECT_EQ(frame->image.height, 24);
    EXPECT_EQ(frame->originalWidth, kWidth);
}

TEST_F(DecodeVideoFrameTest, SurvivesAFileThatStatesNoRateAndNoFrames) {
    const test::TemporaryFolder folder;
    Bytes bytes = contentOf(writeVideo(folder, "a.avi", "MJPG", 3));
    patch(bytes, "avih", 8, {0, 0, 0, 0});       // microseconds a frame
    patch(bytes, "avih", 8 + 16, {0, 0, 0, 0});  // frames
    patch(bytes, "strh", 8 + 24, {0, 0, 0, 0});  // rate
    patch(bytes, "strh", 8 + 32, {0, 0, 0, 0});  // length

    const auto frame = decodeVideoFrame(folder.write("zero.avi", bytes), milliseconds(0));

    if (!frame) {
        EXPECT_EQ(frame.error().code, ErrorCode::Corruption);
    }
}

TEST_F(DecodeVideoFrameTest, SaysWhatIsWrong) {
    const test::TemporaryFolder folder;
    const Bytes avi = contentOf(writeVideo(folder, "a.avi", "MJPG", 3));
    const Bytes mp4 = contentOf(writeVideo(folder, "a.mp4", "mp4v", 3));
    DecodeLimits limits;
    limits.maxPixels = kWidth * kHeight - 1;
    const Bytes text{'m', 'i', 'l', 'k', ',', ' ', 'b', 'r', 'e', 'a', 'd'};
    const Bytes cut(mp4.begin(), mp4.begin() + static_cast<std::ptrdiff_t>(mp4.size() / 2));

    const auto codeOf = [](const Result<DecodedImage>& result) {
        return result ? std::string("decoded") : toString(result.error().code);
    };
    EXPECT_EQ(codeOf(decodeVideoFrame(folder.path("none.mp4"), milliseconds(0))), "not_found");
    EXPECT_EQ(codeOf(decodeVideoFrame(folder.write("zero.mp4", {}), milliseconds(0))),
              "corruption");
    EXPECT_EQ(codeOf(decodeVideoFrame(folder.write("text.mp4", text), milliseconds(0))),
              "unsupported");
    EXPECT_EQ(codeOf(decodeVideoFrame(folder.write("cut.mp4", cut), milliseconds(0))),
              "corruption");
    EXPECT_EQ(codeOf(decodeVideoFrame(folder.path("a.avi"), milliseconds(0), limits)),
              "resource_exhausted");
    EXPECT_EQ(codeOf(decodeVideoFrame(folder.path(""), milliseconds(0))), "unsupported");
    const ImageBuffer still{32, 32, Bytes(std::size_t{32} * 32 * 4, 200)};
    EXPECT_EQ(codeOf(decodeVideoFrame(folder.write("still.png", *encodePng(still.view())),
                                      milliseconds(1500))),
              "invalid_argument");
}

TEST_F(DecodeVideoFrameTest, OpensNothingThatAPlaylistNames) {
    const test::TemporaryFolder folder;
    const std::string text =
        "#EXTM3U\n#EXT-X-TARGETDURATION:10\n#EXTINF:10,\nhttp://127.0.0.1:9/a.ts\n#EXT-X-ENDLIST\n";

    const auto frame =
        decodeVideoFrame(folder.write("list.m3u8", {text.begin(), text.end()}), milliseconds(0));

    EXPECT_FALSE(frame);
}

TEST_F(DecodeVideoFrameTest, AnswersForEveryCutVideo) {
    const test::TemporaryFolder folder;
    const Bytes whole = contentOf(writeVideo(folder, "a.avi", "MJPG", 5));
    for (std::size_t part = 1; part < 20; ++part) {
        const Bytes cut(whole.begin(),
                        whole.begin() + static_cast<std::ptrdiff_t>(whole.size() * part / 20));

        const auto frame = decodeVideoFrame(folder.write("cut.avi", cut), milliseconds(400));

        if (!frame) {
            EXPECT_NE(frame.error().code, ErrorCode::Internal);
        }
    }
}

}  // namespace
}  // namespace bifocal::imaging
