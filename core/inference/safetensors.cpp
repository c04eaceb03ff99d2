// SPDX-License-Identifier: Apache-2.0
#include "core/inference/safetensors.h"

#include <algorithm>
#include <array>
#include <bit>
#include <cstring>
#include <limits>
#include <nlohmann/json.hpp>
#include <optional>
#include <set>
#include <utility>

namespace bifocal {
namespace {

using Json = nlohmann::json;

static_assert(std::endian::native == std::endian::little, "the format is little-endian");

constexpr std::uint64_t kMaxHeaderBytes = 100'000'000;
constexpr std::size_t kLengthBytes = 8;
constexpr std::size_t kDataAlignment = 64;

struct TypeName {
    TensorType type;
    const char* name;
    std::size_t size;
};
constexpr std::array<TypeName, 6> kTypes{{{TensorType::F32, "F32", 4},
                                          {TensorType::F16, "F16", 2},
                                          {TensorType::Bf16, "BF16", 2},
                                          {TensorType::I64, "I64", 8},
                                          {TensorType::I32, "I32", 4},
                                          {TensorType::U8, "U8", 1}}};

const TypeName& entryOf(TensorType type) {
    const auto found = std::find_if(
        kTypes.begin(), kTypes.end(), [&](const TypeName& entry) { return entry.type == type; });
    BIFOCAL_ASSERT(found != kTypes.end());
    return *found;
}

Error brokenFile(const std::string& message) {
    return {ErrorCode::Corruption, "safetensors: " + message};
}

Error brokenTensor(const std::string& name, const std::string& message) {
    return brokenFile("tensor '" + name + "' " + message);
}

/// Product of the shape and the element size, unless it overflows.
std::optional<std::size_t> byteCount(const std::vector<std::size_t>& shape, std::size_t size) {
    std::size_t total = size;
    for (const std::size_t side : shape) {
        if (side != 0 && total > std::numeric_limits<std::size_t>::max() / side) {
            return std::nullopt;
        }
        total *= side;
    }
    return total;
}

/// The header as JSON. The parser keeps the last of two equal names; the format forbids them.
Result<Json> parseHeader(std::string_view text) {
    std::set<std::string> names;
    std::string repeated;
    const auto watch = [&](int depth, Json::parse_event_t event, Json& parsed) {
        if (event == Json::parse_event_t::key && depth == 1 &&
            !names.insert(parsed.get<std::string>()).second) {
            repeated = parsed.get<std::string>();
        }
        return true;
    };
    Json header = Json::parse(text, watch, false);
    if (!header.is_object()) {
        return brokenFile("the header is not a JSON object");
    }
    if (!repeated.empty()) {
        return brokenTensor(repeated, "is there twice");
    }
    return header;
}

bool isCount(const Json& value) {
    return value.is_number_unsigned();
}

bool areCounts(const Json& value) {
    return value.is_array() && std::all_of(value.begin(), value.end(), isCount);
}

Result<TensorView> parseTensor(const std::string& name,
                               const Json& entry,
                               std::span<const std::uint8_t> data) {
    if (!entry.is_object() || !entry.contains("dtype") || !entry["dtype"].is_string() ||
        !entry.contains("shape") || !areCounts(entry["shape"]) || !entry.contains("data_offsets") ||
        !areCounts(entry["data_offsets"]) || entry["data_offsets"].size() != 2) {
        return brokenTensor(name, "lacks its dtype, shape or data_offsets");
    }
    const auto typeName = entry["dtype"].get<std::string>();
    const auto type = std::find_if(kTypes.begin(), kTypes.end(), [&](const TypeName& known) {
        return known.name == typeName;
    });
    if (type == kTypes.end()) {
        return Error{ErrorCode::Unsupported,
                     "safetensors: tensor '" + name + "' has type " + typeName};
    }
    const auto begin = entry["data_offsets"][0].get<std::uint64_t>();
    const auto end = entry["data_offsets"][1].get<std::uint64_t>();
    if (begin > end || end > data.size()) {
        return brokenTensor(name, "lies outside the file");
    }
    TensorView view{type->type, entry["shape"].get<std::vector<std::size_t>>(), {}};
    if (byteCount(view.shape, type->size) != end - begin) {
        return brokenTensor(name,
                            "has " + std::to_string(end - begin) + " bytes, which is not " +
                                typeName + " " + toString(view.shape));
    }
    view.bytes = data.subspan(begin, end - begin);
    return view;
}

/// The tensors must tile the data exactly.
Result<void> checkCoverage(const std::map<std::string, TensorView>& tensors,
                           std::span<const std::uint8_t> data) {
    std::vector<std::pair<std::span<const std::uint8_t>, std::string>> pieces;
    pieces.reserve(tensors.size());
    for (const auto& [name, view] : tensors) {
        pieces.emplace_back(view.bytes, name);
    }
    std::sort(pieces.begin(), pieces.end(), [](const auto& a, const auto& b) {
        return std::pair(a.first.data(), a.first.size()) <
               std::pair(b.first.data(), b.first.size());
    });
    const std::uint8_t* next = data.data();
    for (const auto& [bytes, name] : pieces) {
        if (bytes.data() != next) {
            return brokenTensor(name, "overlaps another or leaves a gap before it");
        }
        next += bytes.size();
    }
    if (next != data.data() + data.size()) {
        return brokenFile("bytes after the last tensor");
    }
    return {};
}

}  // namespace

std::size_t sizeOf(TensorType type) {
    return entryOf(type).size;
}

const char* toString(TensorType type) {
    return entryOf(type).name;
}

std::string toString(const std::vector<std::size_t>& shape) {
    std::string text = "[";
    for (const std::size_t side : shape) {
        text += (text.size() > 1 ? ", " : "") + std::to_string(side);
    }
    return text + "]";
}

std::vector<float> TensorView::toFloats() const {
    BIFOCAL_ASSERT(type == TensorType::F32);
    std::vector<float> values(elementCount());
    if (!values.empty()) {
        std::memcpy(values.data(), bytes.data(), bytes.size());
    }
    return values;
}

Result<Safetensors> Safetensors::parse(std::vector<std::uint8_t> bytes) {
    Safetensors file;
    file.bytes_ = std::make_unique<const std::vector<std::uint8_t>>(std::move(bytes));
    const std::span<const std::uint8_t> all(*file.bytes_);
    if (all.size() < kLengthBytes) {
        return brokenFile("shorter than its header's length");
    }
    std::uint64_t headerBytes = 0;
    std::memcpy(&headerBytes, all.data(), kLengthBytes);
    if (headerBytes > kMaxHeaderBytes || headerBytes > all.size() - kLengthBytes) {
        return brokenFile("a header of " + std::to_string(headerBytes) + " bytes does not fit");
    }
    const auto text = all.subspan(kLengthBytes, headerBytes);
    const auto data = all.subspan(kLengthBytes + headerBytes);
    BIFOCAL_TRY(const Json header,
                parseHeader({reinterpret_cast<const char*>(text.data()), text.size()}));
    for (const auto& [name, entry] : header.items()) {
        if (name == "__metadata__") {
            continue;
        }
        BIFOCAL_TRY(TensorView view, parseTensor(name, entry, data));
        file.tensors_.emplace(name, std::move(view));
    }
    BIFOCAL_CHECK(checkCoverage(file.tensors_, data));
    return file;
}

Result<TensorView> Safetensors::find(const std::string& name,
                                     TensorType type,
                                     const std::vector<std::size_t>& shape) const {
    const auto found = tensors_.find(name);
    if (found == tensors_.end()) {
        return Error{ErrorCode::NotFound, "tensor '" + name + "' is missing"};
    }
    const TensorView& view = found->second;
    if (view.type != type || view.shape != shape) {
        return Error{ErrorCode::Corruption,
                     "tensor '" + name + "' is " + toString(view.type) + " " +
                         toString(view.shape) + ", expected " + toString(type) + " " +
                         toString(shape)};
    }
    return view;
}

NamedTensor namedTensor(std::string name,
                        std::vector<std::size_t> shape,
                        std::span<const float> values) {
    BIFOCAL_ASSERT(byteCount(shape, sizeof(float)) == values.size_bytes());
    return {std::move(name),
            {TensorType::F32,
             std::move(shape),
             {reinterpret_cast<const std::uint8_t*>(values.data()), values.size_bytes()}}};
}

Result<std::vector<std::uint8_t>> serializeSafetensors(std::span<const NamedTensor> tensors) {
    Json header = Json::object();
    std::size_t dataBytes = 0;
    for (const auto& [name, tensor] : tensors) {
        if (header.contains(name) || name == "__metadata__") {
            return Error{ErrorCode::InvalidArgument, "tensor '" + name + "' is there twice"};
        }
        if (byteCount(tensor.shape, sizeOf(tensor.type)) != tensor.bytes.size()) {
            return Error{ErrorCode::InvalidArgument,
                         "tensor '" + name + "': its bytes do not fit its shape"};
        }
        const std::size_t end = dataBytes + tensor.bytes.size();
        header[name] = {{"dtype", toString(tensor.type)},
                        {"shape", tensor.shape},
                        {"data_offsets", {dataBytes, end}}};
        dataBytes = end;
    }
    std::string text = header.dump(-1, ' ', false, Json::error_handler_t::replace);
    const std::size_t unaligned = (kLengthBytes + text.size()) % kDataAlignment;
    text.append(unaligned == 0 ? 0 : kDataAlignment - unaligned, ' ');
    std::vector<std::uint8_t> bytes(kLengthBytes);
    bytes.reserve(kLengthBytes + text.size() + dataBytes);
    const std::uint64_t length = text.size();
    std::memcpy(bytes.data(), &length, kLengthBytes);
    bytes.insert(bytes.end(), text.begin(), text.end());
    for (const auto& [name, tensor] : tensors) {
        bytes.insert(bytes.end(), tensor.bytes.begin(), tensor.bytes.end());
    }
    return bytes;
}

}  // namespace bifocal
