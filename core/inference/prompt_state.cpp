// SPDX-License-Identifier: Apache-2.0
#include "core/inference/prompt_state.h"

#include <algorithm>
#include <array>
#include <bit>
#include <cstring>
#include <string_view>
#include <type_traits>
#include <utility>

#include <xxhash.h>

namespace bifocal {

namespace {

static_assert(std::endian::native == std::endian::little, "the file is little endian");

constexpr std::string_view kMagic = "BFPS";
constexpr std::uint32_t kVersion = 1;
constexpr std::size_t kNameBytes = 8;
constexpr std::array<std::string_view, 5> kSections{"header", "text", "mask", "cache", "beams"};

class Writer {
public:
    template <typename T>
    void number(T value) {
        static_assert(std::is_arithmetic_v<T>);
        const auto* first = reinterpret_cast<const std::uint8_t*>(&value);
        bytes_.insert(bytes_.end(), first, first + sizeof(value));
    }
    void count(std::size_t value) { number(static_cast<std::uint32_t>(value)); }
    void raw(std::string_view text) { bytes_.insert(bytes_.end(), text.begin(), text.end()); }
    void raw(std::span<const std::uint8_t> bytes) {
        bytes_.insert(bytes_.end(), bytes.begin(), bytes.end());
    }
    void string(std::string_view text) {
        count(text.size());
        raw(text);
    }
    std::vector<std::uint8_t> take() { return std::exchange(bytes_, {}); }

private:
    std::vector<std::uint8_t> bytes_;
};

/// Reads until something is missing; from then on everything is zero and isWhole() is false.
class Reader {
public:
    explicit Reader(std::span<const std::uint8_t> bytes) : bytes_(bytes) {}

    template <typename T>
    T number() {
        T value{};
        const std::span<const std::uint8_t> from = raw(sizeof(T));
        if (!from.empty()) {
            std::memcpy(&value, from.data(), sizeof(T));
        }
        return value;
    }
    /// A count of things of `least` bytes each; one that cannot be there is as good as missing.
    std::size_t count(std::size_t least) {
        const auto value = number<std::uint32_t>();
        isWhole_ = isWhole_ && value <= bytes_.size() / least;
        return isWhole_ ? value : 0;
    }
    std::span<const std::uint8_t> raw(std::uint64_t size) {
        isWhole_ = isWhole_ && size <= bytes_.size();
        if (!isWhole_) {
            return {};
        }
        const auto part = bytes_.first(static_cast<std::size_t>(size));
        bytes_ = bytes_.subspan(part.size());
        return part;
    }
    std::string string() {
        const auto part = raw(count(1));
        return {part.begin(), part.end()};
    }
    bool isWhole() const { return isWhole_; }
    bool isAtEnd() const { return isWhole_ && bytes_.empty(); }

private:
    std::span<const std::uint8_t> bytes_;
    bool isWhole_ = true;
};

void writeMask(Writer& to, const std::vector<bool>& mask) {
    to.count(mask.size());
    for (const bool bit : mask) {
        to.number(static_cast<std::uint8_t>(bit ? 1 : 0));
    }
}

std::vector<bool> readMask(Reader& from) {
    std::vector<bool> mask(from.count(1));
    for (std::size_t i = 0; i < mask.size(); ++i) {
        mask[i] = from.number<std::uint8_t>() != 0;
    }
    return mask;
}

void writeBeam(Writer& to, const Beam& beam) {
    to.number(beam.logProbability);
    to.count(beam.tokens.size());
    for (const std::int32_t token : beam.tokens) {
        to.number(token);
    }
}

Beam readBeam(Reader& from) {
    Beam beam;
    beam.logProbability = from.number<double>();
    beam.tokens.resize(from.count(sizeof(std::int32_t)));
    for (std::int32_t& token : beam.tokens) {
        token = from.number<std::int32_t>();
    }
    return beam;
}

void writePayload(Writer& to, std::string_view section, const PromptState& state) {
    if (section == "header") {
        to.string(state.model);
        to.number(state.clip);
        to.number(state.beamCount);
        to.number(state.windowBegin);
        to.number(state.windowSize);
    } else if (section == "text") {
        to.number(static_cast<std::uint8_t>(state.hasText ? 1 : 0));
        to.string(state.text.text);
        to.number(state.text.noSpeech);
        to.number(state.text.meanLogProbability);
        to.number(static_cast<std::uint64_t>(state.text.tokenCount));
    } else if (section == "mask") {
        writeMask(to, state.audioMask);
        writeMask(to, state.textMask);
    } else if (section == "cache") {
        to.count(state.cache.size());
        for (const CachedTensor& tensor : state.cache) {
            to.count(tensor.shape.size());
            for (const std::int64_t side : tensor.shape) {
                to.number(side);
            }
            to.number(static_cast<std::uint64_t>(tensor.bytes.size()));
            to.raw(tensor.bytes);
        }
    } else {
        to.number(state.noSpeech);
        to.count(state.live.size());
        to.count(state.finished.size());
        for (const std::vector<Beam>* beams : {&state.live, &state.finished}) {
            for (const Beam& beam : *beams) {
                writeBeam(to, beam);
            }
        }
    }
}

void readPayload(Reader& from, std::string_view section, PromptState& state) {
    if (section == "header") {
        state.model = from.string();
        state.clip = from.number<std::uint64_t>();
        state.beamCount = from.number<std::uint32_t>();
        state.windowBegin = from.number<std::uint64_t>();
        state.windowSize = from.number<std::uint64_t>();
    } else if (section == "text") {
        state.hasText = from.number<std::uint8_t>() != 0;
        state.text.text = from.string();
        state.text.noSpeech = from.number<double>();
        state.text.meanLogProbability = from.number<double>();
        state.text.tokenCount = from.number<std::uint64_t>();
    } else if (section == "mask") {
        state.audioMask = readMask(from);
        state.textMask = readMask(from);
    } else if (section == "cache") {
        state.cache.resize(from.count(sizeof(std::uint32_t) + sizeof(std::uint64_t)));
        for (CachedTensor& tensor : state.cache) {
            tensor.shape.resize(from.count(sizeof(std::int64_t)));
            for (std::int64_t& side : tensor.shape) {
                side = from.number<std::int64_t>();
            }
            const auto bytes = from.raw(from.number<std::uint64_t>());
            tensor.bytes.assign(bytes.begin(), bytes.end());
        }
    } else {
        state.noSpeech = from.number<double>();
        constexpr std::size_t kLeastBeam = sizeof(double) + sizeof(std::uint32_t);
        const std::size_t liveCount = from.count(kLeastBeam);
        const std::size_t finishedCount = from.count(kLeastBeam);
        for (std::size_t i = 0; i < liveCount; ++i) {
            state.live.push_back(readBeam(from));
        }
        for (std::size_t i = 0; i < finishedCount; ++i) {
            state.finished.push_back(readBeam(from));
        }
    }
}

std::string padded(std::string_view section) {
    std::string name(section);
    name.resize(kNameBytes, '\0');
    return name;
}

Error damaged(std::string_view section) {
    return {ErrorCode::Corruption, "section '" + std::string(section) + "' is damaged"};
}

}  // namespace

std::uint64_t clipKey(std::span<const float> samples) {
    return XXH3_64bits(samples.data(), samples.size_bytes());
}

std::vector<std::uint8_t> toBytes(const PromptState& state) {
    Writer file;
    file.raw(kMagic);
    file.number(kVersion);
    for (const std::string_view section : kSections) {
        Writer writer;
        writePayload(writer, section, state);
        const std::vector<std::uint8_t> payload = writer.take();
        file.raw(padded(section));
        file.number(static_cast<std::uint64_t>(payload.size()));
        file.number(static_cast<std::uint64_t>(XXH3_64bits(payload.data(), payload.size())));
        file.raw(payload);
    }
    return file.take();
}

Result<PromptState> parsePromptState(std::span<const std::uint8_t> bytes) {
    Reader file(bytes);
    const auto magic = file.raw(kMagic.size());
    if (!std::equal(magic.begin(), magic.end(), kMagic.begin(), kMagic.end())) {
        return Error{ErrorCode::Corruption, "not the state of a recognition"};
    }
    if (const auto version = file.number<std::uint32_t>(); file.isWhole() && version != kVersion) {
        return Error{ErrorCode::Unsupported, "version " + std::to_string(version)};
    }
    PromptState state;
    for (const std::string_view section : kSections) {
        const auto name = file.raw(kNameBytes);
        const std::string wanted = padded(section);
        const auto size = file.number<std::uint64_t>();
        const auto checksum = file.number<std::uint64_t>();
        const auto payload = file.raw(size);
        if (!file.isWhole() ||
            !std::equal(name.begin(), name.end(), wanted.begin(), wanted.end()) ||
            XXH3_64bits(payload.data(), payload.size()) != checksum) {
            return damaged(section);
        }
        Reader reader(payload);
        readPayload(reader, section, state);
        if (!reader.isAtEnd()) {
            return damaged(section);
        }
    }
    if (!file.isAtEnd()) {
        return damaged(kSections.back());
    }
    return state;
}

}  // namespace bifocal
