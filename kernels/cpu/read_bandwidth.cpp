// SPDX-License-Identifier: Apache-2.0
#include "kernels/read_bandwidth.h"

#include "kernels/internal/isa.h"
#include "kernels/internal/read_paths.h"

#include <algorithm>
#include <array>
#include <chrono>
#include <cstring>

namespace bifocal::kernels {

std::uint64_t readAllPortable(const std::byte* data, std::size_t bytes, std::size_t streams) {
    std::array<std::uint64_t, 8> mixed{};
    std::array<std::uint64_t, 8> words;  // NOLINT: written before it is read
    const std::size_t streamBytes = bytes / streams / sizeof(words) * sizeof(words);
    for (std::size_t at = 0; at < streamBytes; at += sizeof(words)) {
        for (std::size_t s = 0; s < streams; ++s) {
            std::memcpy(words.data(), data + s * streamBytes + at, sizeof(words));
            for (std::size_t i = 0; i < words.size(); ++i) {
                mixed[i] ^= words[i];
            }
        }
    }
    std::uint64_t result = 0;
    for (const std::uint64_t part : mixed) {
        result ^= part;
    }
    for (std::size_t at = streams * streamBytes; at < bytes; ++at) {
        result ^= static_cast<std::uint64_t>(data[at]) << (at % 8 * 8);
    }
    return result;
}

double measureReadBandwidth(std::span<const std::byte> bytes) {
    if (bytes.empty()) {
        return 0.0;
    }
    const ReadAll readAll = activeIsa() >= Isa::Avx2 ? readAllAvx2 : readAllPortable;
    double best = 0.0;
    for (const std::size_t streams : {std::size_t{1}, std::size_t{4}}) {
        const auto begin = std::chrono::steady_clock::now();
        const volatile std::uint64_t kept = readAll(bytes.data(), bytes.size(), streams);
        static_cast<void>(kept);
        const std::chrono::duration<double> seconds = std::chrono::steady_clock::now() - begin;
        // A buffer of a few bytes can take no measurable time.
        best = std::max(best, static_cast<double>(bytes.size()) / std::max(seconds.count(), 1e-9));
    }
    return best / 1e9;
}

}  // namespace bifocal::kernels
