// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <cstring>
#include <string>
#include <vector>

namespace bifocal::models {

/// Writes the opcodes that the tests need; every call appends one.
struct PickleWriter {
    std::vector<std::uint8_t> bytes;

    PickleWriter& raw(const std::string& piece) {
        bytes.insert(bytes.end(), piece.begin(), piece.end());
        return *this;
    }
    PickleWriter& number(std::uint64_t value, std::size_t size) {
        for (std::size_t i = 0; i < size; ++i) {
            bytes.push_back(static_cast<std::uint8_t>(value >> (8 * i)));
        }
        return *this;
    }
    PickleWriter& begin() { return raw("\x80\x02"); }
    PickleWriter& text(const std::string& value) {
        raw("X").number(value.size(), 4);
        return raw(value);
    }
    PickleWriter& integer(std::int32_t value) {
        return raw("J").number(static_cast<std::uint32_t>(value), 4);
    }
    PickleWriter& global(const std::string& module, const std::string& name) {
        return raw("c" + module + "\n" + name + "\n");
    }
    PickleWriter& integers(const std::vector<std::int32_t>& values) {
        raw("(");
        for (const std::int32_t value : values) {
            integer(value);
        }
        return raw("t");
    }
};

/// A tensor of a small state dict.
struct WrittenTensor {
    std::string name;
    std::string key;
    std::vector<std::int32_t> shape;
    std::vector<std::int32_t> strides;
    std::vector<float> storage;
    std::int32_t offset = 0;
    std::string type = "FloatStorage";
};

/// The five pickles and the storages of readStateDict()'s format.
inline std::vector<std::uint8_t> writeStateDict(const std::vector<WrittenTensor>& tensors) {
    PickleWriter w;
    w.begin().raw("\x8A\x0A").raw("\x6C\xFC\x9C\x46\xF9\x20\x6A\xA8\x50\x19").raw(".");
    w.begin().raw("M").number(1001, 2).raw(".");
    w.begin().raw("}").text("little_endian").raw("\x88").raw("s.");
    w.begin().global("collections", "OrderedDict").raw(")R(");
    for (const WrittenTensor& tensor : tensors) {
        w.text(tensor.name).global("torch._utils", "_rebuild_tensor_v2").raw("((");
        w.text("storage").global("torch", tensor.type).text(tensor.key).text("cpu");
        w.integer(static_cast<std::int32_t>(tensor.storage.size())).raw("NtQ");
        w.integer(tensor.offset).integers(tensor.shape).integers(tensor.strides).raw("\x89");
        w.global("collections", "OrderedDict").raw(")RtR");
    }
    w.raw("u.");
    w.begin().raw("](");
    for (const WrittenTensor& tensor : tensors) {
        w.text(tensor.key);
    }
    w.raw("e.");
    for (const WrittenTensor& tensor : tensors) {
        w.number(tensor.storage.size(), 8);
        const std::size_t at = w.bytes.size();
        w.bytes.resize(at + tensor.storage.size() * sizeof(float));
        if (!tensor.storage.empty()) {
            std::memcpy(
                w.bytes.data() + at, tensor.storage.data(), tensor.storage.size() * sizeof(float));
        }
    }
    return w.bytes;
}

}  // namespace bifocal::models
