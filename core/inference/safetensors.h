// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/base/result.h"

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <map>
#include <memory>
#include <span>
#include <string>
#include <vector>

namespace bifocal {

/// Element types that the packs use; others are refused by name.
enum class TensorType : std::uint8_t { F32 = 1, F16, Bf16, I64, I32, U8 };

/// Bytes of one element.
std::size_t sizeOf(TensorType type);
/// The name in a file's header ("F32").
const char* toString(TensorType type);

/// A tensor inside a file's bytes: row-major, no gaps. Threads: value. Owns: nothing; the
/// Safetensors it came from must outlive it.
struct TensorView {
    TensorType type = TensorType::F32;
    std::vector<std::size_t> shape;
    std::span<const std::uint8_t> bytes;  ///< not aligned to anything

    std::size_t elementCount() const { return bytes.size() / sizeOf(type); }
    /// The elements of an F32 tensor. Asserts the type.
    std::vector<float> toFloats() const;
};

/// "[32, 3, 3, 3]", for messages.
std::string toString(const std::vector<std::size_t>& shape);

/// A whole safetensors file: 8 bytes little-endian header length, a JSON header, the data.
/// https://github.com/huggingface/safetensors states the format.
/// Threads: compatible. Owns: the bytes.
class Safetensors {
public:
    /// Takes the bytes of a file. Corruption, naming the tensor, unless: the header is at most
    /// 100 MB, lies inside the file and is a JSON object without a repeated name; every tensor has
    /// a known type (Unsupported otherwise), a shape and offsets whose length is the product of
    /// both; the tensors fill the data from its first to its last byte without gap or overlap.
    static Result<Safetensors> parse(std::vector<std::uint8_t> bytes);

    const std::map<std::string, TensorView>& tensors() const { return tensors_; }

    /// NotFound, naming the tensor; Corruption when its type or shape is another.
    Result<TensorView> find(const std::string& name,
                            TensorType type,
                            const std::vector<std::size_t>& shape) const;

private:
    std::unique_ptr<const std::vector<std::uint8_t>> bytes_;
    std::map<std::string, TensorView> tensors_;
};

/// A tensor to be written. Threads: value. Owns: nothing.
struct NamedTensor {
    std::string name;
    TensorView tensor;
};

/// F32 elements as a tensor to be written; `values` must outlive it. Asserts that shape and size
/// agree.
NamedTensor namedTensor(std::string name,
                        std::vector<std::size_t> shape,
                        std::span<const float> values);

/// The bytes of a file with these tensors in this order; the data starts at a multiple of 64.
/// InvalidArgument for a repeated name or bytes that do not fit the shape. Threads: value.
Result<std::vector<std::uint8_t>> serializeSafetensors(std::span<const NamedTensor> tensors);

}  // namespace bifocal
