// SPDX-License-Identifier: Apache-2.0
#include "core/imaging/decode.h"
#include "core/imaging/detail/input_file.h"
#include "core/imaging/detail/mp4_orientation.h"
#include "core/imaging/detail/orientation.h"

#include <opencv2/core/mat.hpp>
#include <opencv2/videoio.hpp>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

namespace bifocal::imaging {
namespace {

using namespace std::string_view_literals;

/// Frames decoded at most to find one without seeking: a file whose rate is unknown, or whose index
/// promises more than it holds.
constexpr std::int64_t kMostFramesRead = 3000;
constexpr std::size_t kHeadBytes = 16;
constexpr double kMostPlausibleRate = 1000.0;  ///< frames a second; above it is a time base

/// Containers that videos come in, by their first bytes. It decides what a failure is called.
bool looksLikeVideo(std::string_view head) {
    const auto has = [head](std::size_t offset, std::string_view magic) {
        return head.size() >= offset + magic.size() && head.substr(offset, magic.size()) == magic;
    };
    return has(4, "ftyp"sv) || has(4, "moov"sv) || has(4, "mdat"sv) ||
           has(0, "\x1a\x45\xdf\xa3"sv) || (has(0, "RIFF"sv) && has(8, "AVI "sv)) ||
           has(0, "OggS"sv) || has(0, "FLV"sv) || has(0, "\0\0\1\xba"sv) ||
           has(0, "\0\0\1\xb3"sv) || has(0, "\x30\x26\xb2\x75"sv) || has(0, "\x47"sv);
}

/// FFmpeg shows a still picture as a video of one frame; asking it for a moment is a mistake. The
/// kinds that can be animated are left to it.
bool isStillPicture(std::span<const std::uint8_t> head) {
    const std::string_view text(reinterpret_cast<const char*>(head.data()), head.size());
    return looksLikeImage(head) && !looksLikeVideo(text) && !text.starts_with("GIF8") &&
           !text.starts_with("RIFF");
}

Result<ImageBuffer> toRgba(const cv::Mat& frame) {
    const int channels = frame.channels();
    if (frame.depth() != CV_8U || (channels != 1 && channels != 3 && channels != 4)) {
        return Error{ErrorCode::Unsupported, "the frame's pixel format is not supported"};
    }
    ImageBuffer image;
    image.width = frame.cols;
    image.height = frame.rows;
    image.rgba.resize(static_cast<std::size_t>(frame.cols) * static_cast<std::size_t>(frame.rows) *
                      4);
    std::uint8_t* out = image.rgba.data();
    for (int y = 0; y < frame.rows; ++y) {
        const std::uint8_t* in = frame.ptr<std::uint8_t>(y);
        for (int x = 0; x < frame.cols; ++x, in += channels, out += 4) {
            out[0] = in[channels == 1 ? 0 : 2];  // OpenCV's order is blue, green, red
            out[1] = in[channels == 1 ? 0 : 1];
            out[2] = in[0];
            out[3] = 255;
        }
    }
    return image;
}

/// One open video.
class Video {
public:
    explicit Video(std::string path) : path_(std::move(path)) { reopen(); }

    bool isOpen() const { return capture_.isOpened(); }
    void reopen() {
        capture_.open(path_, cv::CAP_FFMPEG);
        // OpenCV 4.6 turns a quarter the wrong way; what the file says is applied by us instead.
        capture_.set(cv::CAP_PROP_ORIENTATION_AUTO, 0.0);
    }

    std::uint64_t pixelCount() const {
        const double count =
            capture_.get(cv::CAP_PROP_FRAME_WIDTH) * capture_.get(cv::CAP_PROP_FRAME_HEIGHT);
        return count > 0 ? static_cast<std::uint64_t>(count) : 0;
    }

    /// Frames a second; nothing when the file does not say anything usable.
    std::optional<double> rate() const {
        const double rate = capture_.get(cv::CAP_PROP_FPS);
        return std::isfinite(rate) && rate > 0.0 && rate <= kMostPlausibleRate
                   ? std::optional<double>(rate)
                   : std::nullopt;
    }

    /// What the file says; it may be wrong or 0.
    std::int64_t frameCount() const {
        const double count = capture_.get(cv::CAP_PROP_FRAME_COUNT);
        return std::isfinite(count) && count > 0.0 && count < 1e12
                   ? static_cast<std::int64_t>(count)
                   : 0;
    }

    bool seekTo(std::int64_t frame) {
        return capture_.set(cv::CAP_PROP_POS_FRAMES, static_cast<double>(frame));
    }

    /// The last of at most `count` frames from here on; empty when there is none.
    cv::Mat readLastOf(std::int64_t count) {
        cv::Mat last;
        cv::Mat frame;
        for (std::int64_t index = 0; index < count && capture_.read(frame); ++index) {
            std::swap(last, frame);
        }
        return last;
    }

    /// The last frame that begins at `time` or before, reading from the beginning.
    cv::Mat readUntil(std::chrono::milliseconds time) {
        cv::Mat last;
        cv::Mat frame;
        for (std::int64_t index = 0; index < kMostFramesRead && capture_.read(frame); ++index) {
            const double begins = capture_.get(cv::CAP_PROP_POS_MSEC);
            if (!last.empty() && begins > static_cast<double>(time.count())) {
                break;
            }
            std::swap(last, frame);
        }
        return last;
    }

private:
    std::string path_;
    cv::VideoCapture capture_;
};

cv::Mat frameAt(Video& video, std::chrono::milliseconds time) {
    const std::optional<double> rate = video.rate();
    const std::int64_t count = video.frameCount();
    if (!rate || count == 0) {
        return video.readUntil(time);
    }
    const double exact = std::floor(static_cast<double>(time.count()) / 1000.0 * *rate + 1e-6);
    const auto wanted =
        static_cast<std::int64_t>(std::clamp(exact, 0.0, static_cast<double>(count - 1)));
    // The index may promise frames that are not there: then the last one before them is shown.
    const std::int64_t twoSeconds = static_cast<std::int64_t>(std::ceil(*rate * 2.0));
    for (const std::int64_t from : {wanted, std::max<std::int64_t>(0, wanted - twoSeconds)}) {
        if (from == 0 || video.seekTo(from)) {
            cv::Mat frame = video.readLastOf(wanted - from + 1);
            if (!frame.empty()) {
                return frame;
            }
        }
    }
    video.reopen();
    return video.readLastOf(std::min(wanted + 1, kMostFramesRead));
}

Result<DecodedImage> decodeOpened(const std::filesystem::path& path,
                                  const detail::InputFile& file,
                                  std::chrono::milliseconds time,
                                  const DecodeLimits& limits) {
    const auto head = file.head(kHeadBytes);
    if (isStillPicture(head)) {
        return Error{ErrorCode::InvalidArgument, "a still picture has no moments to choose from"};
    }
    // An absolute path is never taken for an address or a pattern of names.
    Video video(std::filesystem::absolute(path).string());
    if (!video.isOpen()) {
        return looksLikeVideo({reinterpret_cast<const char*>(head.data()), head.size()})
                   ? Error{ErrorCode::Corruption, "the video is broken or has no pictures"}
                   : Error{ErrorCode::Unsupported, "no video that this build can read"};
    }
    if (video.pixelCount() > limits.maxPixels) {
        return Error{ErrorCode::ResourceExhausted,
                     "a frame has " + std::to_string(video.pixelCount()) +
                         " pixels, more than the limit of " + std::to_string(limits.maxPixels)};
    }
    const cv::Mat frame = frameAt(video, std::max(time, std::chrono::milliseconds(0)));
    if (frame.empty()) {
        return Error{ErrorCode::Corruption, "no frame of the video can be decoded"};
    }
    DecodedImage decoded;
    BIFOCAL_TRY(auto image, toRgba(frame));
    decoded.image = detail::upright(std::move(image), detail::mp4Orientation(file));
    decoded.originalWidth = decoded.image.width;
    decoded.originalHeight = decoded.image.height;
    if (std::max(frame.cols, frame.rows) > limits.maxSide) {
        BIFOCAL_TRY(decoded.image, thumbnail(decoded.image.view(), limits.maxSide));
    }
    return decoded;
}

}  // namespace

Result<DecodedImage> decodeVideoFrame(const std::filesystem::path& path,
                                      std::chrono::milliseconds time,
                                      const DecodeLimits& limits) {
    try {
        BIFOCAL_TRY(const auto file, detail::InputFile::open(path));
        if (file.sizeBytes() == 0) {
            return Error{ErrorCode::Corruption, path.string() + ": the file is empty"};
        }
        auto decoded = decodeOpened(path, file, time, limits);
        return decoded ? std::move(decoded) : decoded.error().withContext(path.string());
    } catch (const cv::Exception& exception) {
        return Error{ErrorCode::Corruption, path.string() + ": " + exception.err};
    } catch (const std::exception& exception) {
        return Error{ErrorCode::ResourceExhausted, path.string() + ": " + exception.what()};
    }
}

}  // namespace bifocal::imaging
