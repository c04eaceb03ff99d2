// SPDX-License-Identifier: Apache-2.0
#include "kernels/read_bandwidth.h"

#include "kernels/internal/read_paths.h"
#include "tests/kernels/guarded.h"

#include <gtest/gtest.h>

#include <cstring>
#include <random>

namespace bifocal::kernels {
namespace {

std::uint64_t mixtureOf(std::span<const std::byte> bytes) {
    std::uint64_t result = 0;
    for (std::size_t i = 0; i < bytes.size(); ++i) {
        result ^= static_cast<std::uint64_t>(bytes[i]) << (i % 8 * 8);
    }
    return result;
}

TEST(ReadBandwidth, ReadsEveryByteOnce) {
    for (const std::size_t size : kEdgeSizes) {
        std::mt19937 random(2000 + static_cast<unsigned>(size));
        std::vector<std::byte> bytes(size);
        for (std::byte& byte : bytes) {
            byte = static_cast<std::byte>(random());
        }
        for (const std::size_t streams : {1, 4}) {
            EXPECT_EQ(readAllPortable(bytes.data(), size, streams), mixtureOf(bytes)) << size;
            if (bestIsa() >= Isa::Avx2) {
                EXPECT_EQ(readAllAvx2(bytes.data(), size, streams), mixtureOf(bytes)) << size;
            }
        }
    }
}

TEST(ReadBandwidth, IsANumberOfGigabytesPerSecond) {
    EXPECT_EQ(measureReadBandwidth({}), 0.0);
    const std::vector<std::byte> bytes(std::size_t{1} << 22U, std::byte{1});
    const double speed = measureReadBandwidth(bytes);
    EXPECT_GT(speed, 1e-3);
    EXPECT_LT(speed, 1e4);
}

}  // namespace
}  // namespace bifocal::kernels
