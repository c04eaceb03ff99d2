// SPDX-License-Identifier: Apache-2.0
#include "kernels/internal/resample_paths.h"

#include <algorithm>

namespace bifocal::kernels {
namespace {

std::uint8_t toByte(std::int32_t sum) {
    return static_cast<std::uint8_t>(std::clamp(sum >> kWeightBits, 0, 255));
}

std::int32_t weightOf(const std::int16_t* group, std::size_t tap) {
    return (static_cast<std::int32_t>(group[tap]) * (1 << kLowBits)) + group[kGroupTaps + tap];
}

void overBackground(const std::uint8_t* rgba,
                    std::uint8_t* out,
                    std::size_t pixels,
                    const std::uint8_t* background) {
    for (std::size_t i = 0; i < pixels * kChannels; i += kChannels) {
        const std::uint32_t alpha = rgba[i + 3];
        for (std::size_t c = 0; c < 3; ++c) {
            const std::uint32_t sum = rgba[i + c] * alpha + background[c] * (255 - alpha) + 127;
            out[i + c] = static_cast<std::uint8_t>(sum / 255);
        }
        out[i + 3] = 255;
    }
}

void premultiply(const std::uint8_t* rgba, std::uint8_t* out, std::size_t pixels) {
    for (std::size_t i = 0; i < pixels * kChannels; i += kChannels) {
        const std::uint32_t alpha = rgba[i + 3];
        for (std::size_t c = 0; c < 3; ++c) {
            const std::uint32_t sum = rgba[i + c] * alpha + 128;
            out[i + c] = static_cast<std::uint8_t>(((sum >> 8U) + sum) >> 8U);
        }
        out[i + 3] = rgba[i + 3];
    }
}

void horizontalRow(const HorizontalJob& job, const std::uint8_t* row, std::uint8_t* out) {
    for (std::size_t x = 0; x < job.outCount; ++x) {
        const TapSpan& span = job.spans[x];
        std::int32_t sums[kChannels];
        for (std::size_t c = 0; c < kChannels; ++c) {
            sums[c] = (1 << (kWeightBits - 1)) + job.background[c] * span.padWeight;
        }
        const std::int16_t* group = job.weights + span.weights;
        const std::uint8_t* pixel = row + static_cast<std::size_t>(span.first) * kChannels;
        for (std::int32_t g = 0; g < span.groups; ++g, group += kGroupNumbers) {
            for (std::size_t tap = 0; tap < kGroupTaps; ++tap, pixel += kChannels) {
                const std::int32_t weight = weightOf(group, tap);
                for (std::size_t c = 0; c < kChannels; ++c) {
                    sums[c] += pixel[c] * weight;
                }
            }
        }
        for (std::size_t c = 0; c < kChannels; ++c) {
            out[x * kChannels + c] = toByte(sums[c]);
        }
    }
}

void horizontal(const HorizontalJob& job) {
    for (std::size_t r = 0; r < job.rowCount; ++r) {
        horizontalRow(job, job.rows[r], job.out[r]);
    }
}

void vertical(const VerticalJob& job) {
    for (std::size_t i = 0; i < job.bytes; ++i) {
        std::int32_t sum = job.start[i];
        for (std::size_t g = 0; g < job.groups; ++g) {
            for (std::size_t tap = 0; tap < kGroupTaps; ++tap) {
                sum += job.rows[g * kGroupTaps + tap][i] *
                       weightOf(job.weights + g * kGroupNumbers, tap);
            }
        }
        job.out[i] = toByte(sum);
    }
}

}  // namespace

const ResamplePath kResamplePortable{overBackground, premultiply, horizontal, vertical};

}  // namespace bifocal::kernels
