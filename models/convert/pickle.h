// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/base/result.h"

#include <cstddef>
#include <cstdint>
#include <deque>
#include <span>
#include <string>
#include <utility>
#include <vector>

namespace bifocal::models {

/// What a pickle may hold here. Anything else is refused.
enum class PickleKind : std::uint8_t {
    None = 1,
    Bool,
    Int,     ///< up to 64 bits
    BigInt,  ///< longer: little-endian two's complement in `text`
    Float,
    Text,
    Tuple,
    List,
    Dict,        ///< an OrderedDict too
    Global,      ///< a name, "module.name"; never looked up, never called
    Persistent,  ///< a persistent id: its one item is what the stream said
    Tensor,      ///< _rebuild_tensor_v2's arguments, as items
};

/// A node of a pickle. Children are indices into Pickle::nodes(), so a hostile depth or a cycle
/// costs no stack. Threads: value.
struct PickleNode {
    PickleKind kind = PickleKind::None;
    std::int64_t integer = 0;                                  ///< Bool, Int
    double real = 0;                                           ///< Float
    std::string text;                                          ///< Text, Global, BigInt
    std::vector<std::size_t> items;                            ///< Tuple, List, Persistent, Tensor
    std::vector<std::pair<std::size_t, std::size_t>> entries;  ///< Dict, in order
};

/// One pickle of protocol 2, read without running anything: it builds numbers, strings, tuples,
/// lists and dicts, and knows four names: collections.OrderedDict, torch._utils._rebuild_tensor_v2,
/// torch.FloatStorage and torch.LongStorage. Python's pickletools documents the opcodes.
/// Threads: value.
class Pickle {
public:
    /// Reads one pickle from the front of `bytes`. Corruption for a stream that is cut off, uses
    /// the stack wrongly or repeats more than the input can justify; Unsupported, naming it, for
    /// any other opcode or global.
    static Result<Pickle> parse(std::span<const std::uint8_t> bytes);

    const PickleNode& root() const { return nodes_[root_]; }
    const PickleNode& node(std::size_t index) const { return nodes_[index]; }
    /// Bytes that the pickle took.
    std::size_t size() const { return size_; }

private:
    friend class PickleMachine;

    std::deque<PickleNode> nodes_;
    std::size_t root_ = 0;
    std::size_t size_ = 0;
};

}  // namespace bifocal::models
