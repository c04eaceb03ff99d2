// SPDX-License-Identifier: Apache-2.0
#include "core/profile/profiler.h"

#include <gtest/gtest.h>

#include <cstdint>
#include <string>
#include <vector>

namespace bifocal::profile {
namespace {

TEST(ProcessMemoryTest, TouchedMemoryIsResidentAndCountsInThePeak) {
    constexpr std::size_t kBytes = std::size_t{64} << 20U;
    const std::uint64_t before = residentBytes();
    ASSERT_GT(before, 0U);
    {
        const std::vector<char> touched(kBytes, 1);
        EXPECT_GE(residentBytes(), before + kBytes * 9 / 10);
        EXPECT_EQ(touched.back(), 1);
    }

    EXPECT_GE(peakResidentBytes(), before + kBytes * 9 / 10);
}

TEST(DeviceMemoryTest, GivesAReadingOrTheReasonWhyNot) {
    std::string why;
    const auto memory = readDeviceMemory(&why);

    if (memory) {
        EXPECT_FALSE(memory->name.empty());
        EXPECT_GT(memory->totalBytes, 0U);
        EXPECT_LE(memory->usedBytes, memory->totalBytes);
        EXPECT_TRUE(why.empty());
    } else {
        EXPECT_NE(why.find("NVIDIA"), std::string::npos) << why;
    }
    EXPECT_EQ(readDeviceMemory().has_value(), memory.has_value());
}

TEST(DeviceMemoryTest, AProbeReadsMoreThanOnce) {
    const DeviceMemoryProbe probe;

    EXPECT_EQ(probe.read().has_value(), probe.read().has_value());
}

}  // namespace
}  // namespace bifocal::profile
