// SPDX-License-Identifier: Apache-2.0
#include "tests/core/imaging/test_pictures.h"

#include "core/imaging/decode.h"

#include <algorithm>
#include <cstdlib>
#include <fstream>

#include <sys/mman.h>
#include <unistd.h>
#include <vips/vips.h>

namespace bifocal::imaging::test {
namespace {

class StartedImaging : public testing::Environment {
public:
    void SetUp() override { ASSERT_TRUE(initialize("imaging_test")); }
};

// GoogleTest owns it.
const auto* const kStartedImaging = testing::AddGlobalTestEnvironment(new StartedImaging);

}  // namespace

ImageBuffer gradient(int width, int height) {
    ImageBuffer image = filled(width, height, 0x000000FF);
    std::uint8_t* pixel = image.rgba.data();
    for (int y = 0; y < height; ++y) {
        for (int x = 0; x < width; ++x, pixel += 4) {
            pixel[0] = static_cast<std::uint8_t>(255 * (x + 1) / (width + 1));
            pixel[1] = static_cast<std::uint8_t>(255 * (y + 1) / (height + 1));
            pixel[2] = static_cast<std::uint8_t>(255 - (pixel[0] + pixel[1]) / 2);
        }
    }
    return image;
}

ImageBuffer translucentGradient(int width, int height) {
    ImageBuffer image = gradient(width, height);
    for (std::size_t index = 0; index < image.rgba.size(); index += 4) {
        image.rgba[index + 3] = image.rgba[index];
    }
    return image;
}

ImageBuffer filled(int width, int height, std::uint32_t rgba) {
    ImageBuffer image;
    image.width = width;
    image.height = height;
    for (int count = width * height; count > 0; --count) {
        for (int shift = 24; shift >= 0; shift -= 8) {
            image.rgba.push_back(static_cast<std::uint8_t>(rgba >> shift & 0xFFU));
        }
    }
    return image;
}

Bytes encoded(const ImageBuffer& image,
              const std::string& suffix,
              const std::map<std::string, int>& numbers) {
    VipsImage* whole = vips_image_new_from_memory(
        image.rgba.data(), image.rgba.size(), image.width, image.height, 4, VIPS_FORMAT_UCHAR);
    VipsImage* picture = nullptr;
    bool isOpaque = true;
    for (std::size_t index = 3; index < image.rgba.size(); index += 4) {
        isOpaque = isOpaque && image.rgba[index] == 255;
    }
    EXPECT_EQ(vips_extract_band(whole, &picture, 0, "n", isOpaque ? 3 : 4, nullptr), 0);
    picture->Type = VIPS_INTERPRETATION_sRGB;
    for (const auto& [name, value] : numbers) {
        vips_image_set_int(picture, name.c_str(), value);
    }
    void* data = nullptr;
    std::size_t size = 0;
    EXPECT_EQ(vips_image_write_to_buffer(picture, suffix.c_str(), &data, &size, nullptr), 0)
        << suffix << ": " << vips_error_buffer();
    const auto* first = static_cast<const std::uint8_t*>(data);
    Bytes bytes(first, first + size);
    g_free(data);
    g_object_unref(picture);
    g_object_unref(whole);
    return bytes;
}

int largestDifference(const ImageBuffer& left, const ImageBuffer& right) {
    if (left.width != right.width || left.height != right.height) {
        return 256;
    }
    int largest = 0;
    for (std::size_t index = 0; index < left.rgba.size(); ++index) {
        largest = std::max(largest, std::abs(int{left.rgba[index]} - int{right.rgba[index]}));
    }
    return largest;
}

double meanDifference(const ImageBuffer& left, const ImageBuffer& right) {
    if (left.width != right.width || left.height != right.height) {
        return 256.0;
    }
    double sum = 0.0;
    for (std::size_t index = 0; index < left.rgba.size(); ++index) {
        sum += std::abs(int{left.rgba[index]} - int{right.rgba[index]});
    }
    return sum / static_cast<double>(left.rgba.size());
}

TemporaryFolder::TemporaryFolder() {
    std::string name = (std::filesystem::temp_directory_path() / "bifocal-imaging-XXXXXX").string();
    EXPECT_NE(::mkdtemp(name.data()), nullptr);
    path_ = name;
}

TemporaryFolder::~TemporaryFolder() {
    std::error_code ignored;
    std::filesystem::remove_all(path_, ignored);
}

std::filesystem::path TemporaryFolder::write(const std::string& name, const Bytes& bytes) const {
    std::filesystem::create_directories(path(name).parent_path());
    std::ofstream out(path(name), std::ios::binary);
    out.write(reinterpret_cast<const char*>(bytes.data()),
              static_cast<std::streamsize>(bytes.size()));
    return path(name);
}

void SilentTest::SetUp() {
    sink_ = ::memfd_create("standard error", MFD_CLOEXEC);
    savedError_ = ::dup(STDERR_FILENO);
    ASSERT_GE(sink_, 0);
    ASSERT_GE(::dup2(sink_, STDERR_FILENO), 0);
}

void SilentTest::TearDown() {
    ASSERT_GE(::dup2(savedError_, STDERR_FILENO), 0);
    ::close(savedError_);
    std::string written(static_cast<std::size_t>(::lseek(sink_, 0, SEEK_END)), '\0');
    EXPECT_EQ(::pread(sink_, written.data(), written.size(), 0),
              static_cast<ssize_t>(written.size()));
    ::close(sink_);
    EXPECT_EQ(written, "");
}

}  // namespace bifocal::imaging::test
