// SPDX-License-Identifier: Apache-2.0
#include "models/convert/ctranslate_file.h"

#include "core/inference/safetensors.h"

#include <array>
#include <optional>
#include <utility>

namespace bifocal::models {
namespace {

constexpr std::uint32_t kVersion = 6;
constexpr std::uint8_t kMaxRank = 8;
constexpr std::array<std::size_t, 6> kTypeBytes{4, 1, 2, 4, 2, 2};

Error broken(const std::string& message) {
    return {ErrorCode::Corruption, "CTranslate2 file: " + message};
}

/// Takes numbers and texts from the front of a file. Threads: compatible.
class FrontReader {
public:
    explicit FrontReader(std::span<const std::uint8_t> rest) : rest_(rest) {}

    std::size_t left() const { return rest_.size(); }

    Result<std::uint32_t> number(std::size_t width, const char* what) {
        BIFOCAL_TRY(const std::span<const std::uint8_t> bytes, take(width, what));
        std::uint32_t value = 0;
        for (std::size_t i = 0; i < width; ++i) {
            value |= static_cast<std::uint32_t>(bytes[i]) << (8 * i);
        }
        return value;
    }

    Result<std::string> text(const char* what) {
        BIFOCAL_TRY(const std::uint32_t size, number(2, what));
        BIFOCAL_TRY(const std::span<const std::uint8_t> bytes, take(size, what));
        if (size < 2 || bytes.back() != 0) {
            return broken(std::string(what) + " is empty or has no NUL at its end");
        }
        std::string text(bytes.begin(), bytes.end() - 1);
        if (text.find('\0') != std::string::npos) {
            return broken(std::string(what) + " has a NUL inside");
        }
        return text;
    }

    Result<std::span<const std::uint8_t>> take(std::size_t size, const std::string& what) {
        if (size > rest_.size()) {
            return broken(what + ": the file ends too early");
        }
        const std::span<const std::uint8_t> front = rest_.first(size);
        rest_ = rest_.subspan(size);
        return front;
    }

private:
    std::span<const std::uint8_t> rest_;
};

/// Nothing when the product does not fit.
std::optional<std::size_t> byteCount(const std::vector<std::size_t>& shape, std::size_t width) {
    std::size_t count = width;
    for (const std::size_t side : shape) {
        if (__builtin_mul_overflow(count, side, &count)) {
            return std::nullopt;
        }
    }
    return count;
}

Result<CtranslateVariable> readVariable(FrontReader& reader, const std::string& name) {
    CtranslateVariable variable;
    BIFOCAL_TRY(const std::uint32_t rank, reader.number(1, "a rank"));
    if (rank > kMaxRank) {
        return broken("'" + name + "' has " + std::to_string(rank) + " dimensions");
    }
    for (std::uint32_t i = 0; i < rank; ++i) {
        BIFOCAL_TRY(const std::uint32_t side, reader.number(4, "a shape"));
        variable.shape.push_back(side);
    }
    BIFOCAL_TRY(const std::uint32_t type, reader.number(1, "a type"));
    if (type >= kTypeBytes.size()) {
        return Error{
            ErrorCode::Unsupported,
            "CTranslate2 file: '" + name + "' has the unknown type " + std::to_string(type)};
    }
    variable.type = static_cast<CtranslateType>(type);
    BIFOCAL_TRY(const std::uint32_t bytes, reader.number(4, "a size"));
    if (byteCount(variable.shape, kTypeBytes[type]) != std::size_t{bytes}) {
        return broken("'" + name + "' has " + std::to_string(bytes) + " bytes, its shape is " +
                      toString(variable.shape));
    }
    BIFOCAL_TRY(variable.bytes, reader.take(bytes, "'" + name + "'"));
    return variable;
}

}  // namespace

Result<CtranslateFile> CtranslateFile::parse(std::vector<std::uint8_t> bytes) {
    CtranslateFile file;
    file.bytes_ = std::make_unique<const std::vector<std::uint8_t>>(std::move(bytes));
    FrontReader reader(*file.bytes_);
    BIFOCAL_TRY(const std::uint32_t version, reader.number(4, "the version"));
    if (version != kVersion) {
        return Error{ErrorCode::Unsupported,
                     "CTranslate2 file: version " + std::to_string(version) +
                         ", this build reads " + std::to_string(kVersion)};
    }
    BIFOCAL_TRY(file.specification_, reader.text("the specification"));
    BIFOCAL_TRY(file.revision_, reader.number(4, "the revision"));
    BIFOCAL_TRY(const std::uint32_t variableCount, reader.number(4, "the number of variables"));
    for (std::uint32_t i = 0; i < variableCount; ++i) {
        BIFOCAL_TRY(std::string name, reader.text("a name"));
        BIFOCAL_TRY(CtranslateVariable variable, readVariable(reader, name));
        if (!file.variables_.emplace(name, std::move(variable)).second) {
            return broken("'" + name + "' is there twice");
        }
    }
    BIFOCAL_TRY(const std::uint32_t aliasCount, reader.number(4, "the number of aliases"));
    for (std::uint32_t i = 0; i < aliasCount; ++i) {
        BIFOCAL_TRY(std::string alias, reader.text("an alias"));
        BIFOCAL_TRY(std::string target, reader.text("an alias"));
        if (!file.variables_.contains(target)) {
            return broken("'" + target + "', which an alias stands for, is not there");
        }
        if (file.variables_.contains(alias) ||
            !file.aliases_.emplace(alias, std::move(target)).second) {
            return broken("'" + alias + "' is there twice");
        }
    }
    if (reader.left() != 0) {
        return broken("it goes on after its end");
    }
    return file;
}

Result<CtranslateVariable> CtranslateFile::find(const std::string& name,
                                                CtranslateType type,
                                                const std::vector<std::size_t>& shape) const {
    const auto found = variables_.find(name);
    if (found == variables_.end()) {
        return Error{ErrorCode::NotFound, "CTranslate2 file: no variable '" + name + "'"};
    }
    if (found->second.type != type || found->second.shape != shape) {
        return broken("'" + name + "' has the type " +
                      std::to_string(static_cast<int>(found->second.type)) + " and the shape " +
                      toString(found->second.shape) + ", expected " +
                      std::to_string(static_cast<int>(type)) + " and " + toString(shape));
    }
    return found->second;
}

}  // namespace bifocal::models
