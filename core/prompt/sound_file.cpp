// SPDX-License-Identifier: Apache-2.0
#include "core/prompt/sound_file.h"

#include "core/base/files.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstring>
#include <numbers>
#include <numeric>
#include <optional>
#include <string>

namespace bifocal {
namespace {

constexpr std::uint64_t kMaxFileBytes = 512'000'000;
constexpr std::uint32_t kLeastRate = 4'000;
constexpr std::uint32_t kMostRate = 192'000;
constexpr std::uint32_t kMostChannels = 8;
constexpr std::uint16_t kPcm = 1;
constexpr std::uint16_t kFloat = 3;
constexpr std::uint16_t kExtensible = 0xFFFE;
constexpr std::size_t kHeaderBytes = 12;
constexpr std::size_t kChunkHeaderBytes = 8;
constexpr double kZeroCrossings = 32.0;
constexpr double kKaiserBeta = 8.0;
/// Enough for every usual rate to be exact; a rate that needs more is taken at the nearest one,
/// which is at most 1/2048 of a sample away.
constexpr std::uint64_t kMaxPhases = 1024;

Error broken(const std::string& message) {
    return {ErrorCode::Corruption, "WAV: " + message};
}

std::uint32_t numberAt(std::span<const std::uint8_t> bytes, std::size_t offset, std::size_t width) {
    std::uint32_t value = 0;
    for (std::size_t i = 0; i < width; ++i) {
        value |= static_cast<std::uint32_t>(bytes[offset + i]) << (8 * i);
    }
    return value;
}

bool hasTag(std::span<const std::uint8_t> bytes, std::size_t offset, const char* tag) {
    return std::memcmp(bytes.data() + offset, tag, 4) == 0;
}

struct WavFormat {
    bool isFloat = false;
    std::uint32_t channels = 0;
    std::uint32_t rate = 0;

    std::size_t sampleBytes() const { return isFloat ? 4 : 2; }
};

Result<WavFormat> formatOf(std::span<const std::uint8_t> chunk) {
    constexpr std::size_t kPlainBytes = 16;
    constexpr std::size_t kExtensibleBytes = 40;
    constexpr std::size_t kSubFormat = 24;
    if (chunk.size() < kPlainBytes) {
        return broken("the format chunk is too short");
    }
    std::uint32_t coding = numberAt(chunk, 0, 2);
    if (coding == kExtensible && chunk.size() >= kExtensibleBytes) {
        coding = numberAt(chunk, kSubFormat, 2);
    }
    WavFormat format;
    format.channels = numberAt(chunk, 2, 2);
    format.rate = numberAt(chunk, 4, 4);
    const std::uint32_t bits = numberAt(chunk, 14, 2);
    format.isFloat = coding == kFloat;
    if (!((coding == kPcm && bits == 16) || (coding == kFloat && bits == 32))) {
        return Error{ErrorCode::Unsupported,
                     "WAV: coding " + std::to_string(coding) + " with " + std::to_string(bits) +
                         " bits; this build reads PCM of 16 bits and floats of 32"};
    }
    if (format.channels == 0 || format.channels > kMostChannels || format.rate < kLeastRate ||
        format.rate > kMostRate) {
        return Error{ErrorCode::Unsupported,
                     "WAV: " + std::to_string(format.channels) + " channels of " +
                         std::to_string(format.rate) + " samples a second"};
    }
    return format;
}

float sampleAt(std::span<const std::uint8_t> data, std::size_t offset, bool isFloat) {
    if (isFloat) {
        const float value = std::bit_cast<float>(numberAt(data, offset, 4));
        return std::isfinite(value) ? std::clamp(value, -1.0F, 1.0F) : 0.0F;
    }
    return static_cast<float>(static_cast<std::int16_t>(numberAt(data, offset, 2))) / 32768.0F;
}

std::vector<float> mono(std::span<const std::uint8_t> data, const WavFormat& format) {
    const std::size_t step = format.sampleBytes() * format.channels;
    std::vector<float> samples(data.size() / step);
    for (std::size_t i = 0; i < samples.size(); ++i) {
        float sum = 0;
        for (std::size_t channel = 0; channel < format.channels; ++channel) {
            sum += sampleAt(data, i * step + channel * format.sampleBytes(), format.isFloat);
        }
        samples[i] = sum / static_cast<float>(format.channels);
    }
    return samples;
}

/// The modified Bessel function of order 0.
double bessel(double x) {
    double sum = 1;
    double term = 1;
    for (int k = 1; term > sum * 1e-12; ++k) {
        term *= (x / (2.0 * k)) * (x / (2.0 * k));
        sum += term;
    }
    return sum;
}

/// A sinc with its first zero at 1 / cutoff input samples, windowed.
double kernelAt(double distance, double cutoff) {
    const double reach = kZeroCrossings / cutoff;
    if (std::abs(distance) >= reach) {
        return 0;
    }
    const double share = distance / reach;
    static const double kPeak = bessel(kKaiserBeta);
    const double window = bessel(kKaiserBeta * std::sqrt(1 - share * share)) / kPeak;
    const double angle = std::numbers::pi * distance * cutoff;
    return cutoff * window * (std::abs(angle) < 1e-9 ? 1.0 : std::sin(angle) / angle);
}

}  // namespace

Result<SpeechClip> parseWav(std::span<const std::uint8_t> bytes) {
    if (bytes.size() < kHeaderBytes || !hasTag(bytes, 0, "RIFF") || !hasTag(bytes, 8, "WAVE")) {
        return Error{ErrorCode::Unsupported, "no WAV file"};
    }
    std::optional<WavFormat> format;
    std::size_t offset = kHeaderBytes;
    while (bytes.size() - offset >= kChunkHeaderBytes) {
        const std::size_t size = numberAt(bytes, offset + 4, 4);
        const auto rest = bytes.subspan(offset + kChunkHeaderBytes);
        const auto chunk = rest.first(std::min(size, rest.size()));
        if (hasTag(bytes, offset, "fmt ")) {
            BIFOCAL_TRY(format, formatOf(chunk));
        } else if (hasTag(bytes, offset, "data")) {
            if (!format) {
                return broken("samples before their format");
            }
            return SpeechClip{resample(mono(chunk, *format), format->rate, kSpeechRate)};
        }
        const std::size_t padded = size + size % 2;
        if (padded > rest.size()) {
            break;
        }
        offset += kChunkHeaderBytes + padded;
    }
    return broken("it ends before its samples");
}

Result<SpeechClip> readSpeech(const std::filesystem::path& path) {
    BIFOCAL_TRY(const auto bytes, readFile(path, kMaxFileBytes));
    Result<SpeechClip> clip = parseWav(bytes);
    return clip ? std::move(clip) : Result<SpeechClip>(clip.error().withContext(path.string()));
}

std::vector<float> resample(std::span<const float> samples, std::uint32_t from, std::uint32_t to) {
    BIFOCAL_ASSERT(from > 0 && to > 0);
    if (from == to || samples.empty()) {
        return {samples.begin(), samples.end()};
    }
    const std::uint64_t common = std::gcd(from, to);
    const std::uint64_t up = to / common;
    const std::uint64_t down = from / common;
    const double cutoff = std::min(1.0, static_cast<double>(to) / static_cast<double>(from));
    const auto reach = static_cast<std::int64_t>(std::ceil(kZeroCrossings / cutoff));
    // Output i lies at i · down / up of the input: `up` different fractions, each with its kernel.
    const std::uint64_t phases = std::min(up, kMaxPhases);
    const auto tapCount = static_cast<std::size_t>(2 * reach);
    std::vector<float> kernels(phases * tapCount);
    for (std::uint64_t phase = 0; phase < phases; ++phase) {
        for (std::size_t tap = 0; tap < tapCount; ++tap) {
            const double distance =
                static_cast<double>(static_cast<std::int64_t>(tap) - reach + 1) -
                static_cast<double>(phase) / static_cast<double>(phases);
            kernels[phase * tapCount + tap] = static_cast<float>(kernelAt(distance, cutoff));
        }
    }
    std::vector<float> out((samples.size() * up + down - 1) / down);
    for (std::size_t i = 0; i < out.size(); ++i) {
        const std::uint64_t place = i * down;
        const std::int64_t first = static_cast<std::int64_t>(place / up) - reach + 1;
        const float* const kernel = kernels.data() + (place % up) * phases / up * tapCount;
        const std::int64_t begin = std::max<std::int64_t>(0, -first);
        const std::int64_t end = std::min<std::int64_t>(
            static_cast<std::int64_t>(tapCount), static_cast<std::int64_t>(samples.size()) - first);
        float sum = 0;
        for (std::int64_t tap = begin; tap < end; ++tap) {
            sum += kernel[tap] * samples[static_cast<std::size_t>(first + tap)];
        }
        out[i] = sum;
    }
    return out;
}

}  // namespace bifocal
