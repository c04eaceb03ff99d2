// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/base/result.h"

#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <span>
#include <string>
#include <vector>

namespace bifocal::models {

/// Element types of a CTranslate2 file, by its numbers.
enum class CtranslateType : std::uint8_t { F32 = 0, I8, I16, I32, F16, Bf16 };

/// A variable inside a file's bytes: row-major, no gaps; a scalar has no dimensions. Threads:
/// value. Owns: nothing; the CtranslateFile it came from must outlive it.
struct CtranslateVariable {
    CtranslateType type = CtranslateType::F32;
    std::vector<std::size_t> shape;
    std::span<const std::uint8_t> bytes;  ///< not aligned to anything
};

/// A whole CTranslate2 model file of format version 6, little-endian:
///
///     u32 version | text specification | u32 revision
///     u32 count   | count × (text name, u8 rank, u32 × rank, u8 type, u32 bytes, data)
///     u32 aliases | aliases × (text alias, text variable)
///
/// where a text is u16 length, NUL included, and its bytes. No number of the file is trusted before
/// it was compared with what is left of it. Threads: compatible. Owns: the bytes.
class CtranslateFile {
public:
    /// Corruption, naming the variable where there is one, for a file that is cut off or goes on
    /// after its end, a text that is empty, has no NUL at its end or one inside, more than 8
    /// dimensions, a size that is not the shape's, a repeated name, an alias of nothing;
    /// Unsupported for another version or an unknown type.
    static Result<CtranslateFile> parse(std::vector<std::uint8_t> bytes);

    const std::string& specification() const { return specification_; }
    std::uint32_t revision() const { return revision_; }
    const std::map<std::string, CtranslateVariable>& variables() const { return variables_; }
    const std::map<std::string, std::string>& aliases() const { return aliases_; }

    /// NotFound, naming it; Corruption when its type or shape is another.
    Result<CtranslateVariable> find(const std::string& name,
                                    CtranslateType type,
                                    const std::vector<std::size_t>& shape) const;

private:
    std::unique_ptr<const std::vector<std::uint8_t>> bytes_;
    std::string specification_;
    std::uint32_t revision_ = 0;
    std::map<std::string, CtranslateVariable> variables_;
    std::map<std::string, std::string> aliases_;
};

}  // namespace bifocal::models
