// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/base/image_buffer.h"

#include <gtest/gtest.h>

#include <cstdint>
#include <filesystem>
#include <map>
#include <string>
#include <vector>

namespace bifocal::imaging::test {

using Bytes = std::vector<std::uint8_t>;

/// Smooth, different in every corner and every channel: red grows to the right, green downwards.
ImageBuffer gradient(int width, int height);

/// The same with alpha that grows to the right.
ImageBuffer translucentGradient(int width, int height);

ImageBuffer filled(int width, int height, std::uint32_t rgba);

/// Written by libvips; `suffix` is its file suffix with options (".jpg[Q=95]"), `numbers` is
/// metadata. A fully opaque picture is written without alpha.
Bytes encoded(const ImageBuffer& image,
              const std::string& suffix,
              const std::map<std::string, int>& numbers = {});

/// The largest difference of any channel; 256 when the sizes differ.
int largestDifference(const ImageBuffer& left, const ImageBuffer& right);

/// The mean difference over all channels; 256 when the sizes differ.
double meanDifference(const ImageBuffer& left, const ImageBuffer& right);

/// A folder that goes with its owner.
class TemporaryFolder {
public:
    TemporaryFolder();
    TemporaryFolder(const TemporaryFolder&) = delete;
    TemporaryFolder& operator=(const TemporaryFolder&) = delete;
    ~TemporaryFolder();

    std::filesystem::path path(const std::string& name) const { return path_ / name; }
    std::filesystem::path write(const std::string& name, const Bytes& bytes) const;

private:
    std::filesystem::path path_;
};

/// Fails a test in whose course anything was written to standard error.
class SilentTest : public testing::Test {
protected:
    void SetUp() override;
    void TearDown() override;

private:
    int savedError_ = -1;
    int sink_ = -1;
};

}  // namespace bifocal::imaging::test
