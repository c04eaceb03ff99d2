// SPDX-License-Identifier: Apache-2.0
#include "kernels/internal/read_paths.h"

#include <immintrin.h>

namespace bifocal::kernels {

std::uint64_t readAllAvx2(const std::byte* data, std::size_t bytes, std::size_t streams) {
    constexpr std::size_t kVectors = 8;
    constexpr std::size_t kStepBytes = kVectors * sizeof(__m256i);
    __m256i mixed[kVectors];
    for (__m256i& part : mixed) {
        part = _mm256_setzero_si256();
    }
    const std::size_t streamBytes = bytes / streams / kStepBytes * kStepBytes;
    for (std::size_t at = 0; at < streamBytes; at += kStepBytes) {
        for (std::size_t s = 0; s < streams; ++s) {
            const auto* from = reinterpret_cast<const __m256i*>(data + s * streamBytes + at);
#pragma GCC unroll 8
            for (std::size_t v = 0; v < kVectors; ++v) {
                mixed[v] = _mm256_xor_si256(mixed[v], _mm256_loadu_si256(from + v));
            }
        }
    }
    for (std::size_t v = 1; v < kVectors; ++v) {
        mixed[0] = _mm256_xor_si256(mixed[0], mixed[v]);
    }
    alignas(32) std::uint64_t words[4];
    _mm256_store_si256(reinterpret_cast<__m256i*>(words), mixed[0]);
    std::uint64_t result = words[0] ^ words[1] ^ words[2] ^ words[3];
    for (std::size_t at = streams * streamBytes; at < bytes; ++at) {
        result ^= static_cast<std::uint64_t>(data[at]) << (at % 8 * 8);
    }
    return result;
}

}  // namespace bifocal::kernels
