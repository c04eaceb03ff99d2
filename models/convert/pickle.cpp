// SPDX-License-Identifier: Apache-2.0
#include "models/convert/pickle.h"

#include <algorithm>
#include <array>
#include <cstring>
#include <map>
#include <string_view>

namespace bifocal::models {
namespace {

constexpr std::array<std::string_view, 4> kGlobals{"collections.OrderedDict",
                                                   "torch._utils._rebuild_tensor_v2",
                                                   "torch.FloatStorage",
                                                   "torch.LongStorage"};
constexpr std::size_t kMaxNameBytes = 256;
constexpr std::size_t kMaxLongBytes = 32;
constexpr std::size_t kMaxNodes = 1'000'000;  // the starter's state dict has about 3,000

Error broken(const std::string& message) {
    return {ErrorCode::Corruption, "pickle: " + message};
}

std::string hex(std::uint8_t byte) {
    static constexpr char kDigits[] = "0123456789abcdef";
    return std::string("0x") + kDigits[byte >> 4U] + kDigits[byte & 15U];
}

}  // namespace

/// The stack machine. Threads: value.
class PickleMachine {
public:
    explicit PickleMachine(std::span<const std::uint8_t> bytes) : bytes_(bytes) {}

    Result<Pickle> run() {
        while (!stopped_) {
            BIFOCAL_TRY(const std::uint8_t opcode, byte());
            BIFOCAL_CHECK(step(opcode));
            if (out_.nodes_.size() > kMaxNodes) {
                return broken("more values than any state dict has");
            }
        }
        if (stack_.size() != 1) {
            return broken("ends with " + std::to_string(stack_.size()) + " values");
        }
        out_.root_ = stack_.back();
        out_.size_ = at_;
        return std::move(out_);
    }

private:
    // ---- input
    Result<std::span<const std::uint8_t>> take(std::size_t count) {
        if (count > bytes_.size() - at_) {
            return broken("cut off");
        }
        const auto piece = bytes_.subspan(at_, count);
        at_ += count;
        return piece;
    }

    Result<std::uint8_t> byte() {
        BIFOCAL_TRY(const auto piece, take(1));
        return piece[0];
    }

    Result<std::uint64_t> number(std::size_t size) {
        BIFOCAL_TRY(const auto piece, take(size));
        std::uint64_t value = 0;
        for (std::size_t i = 0; i < size; ++i) {
            value |= static_cast<std::uint64_t>(piece[i]) << (8 * i);
        }
        return value;
    }

    Result<std::string> text(std::size_t size) {
        BIFOCAL_TRY(const auto piece, take(size));
        return std::string(piece.begin(), piece.end());
    }

    Result<std::string> line() {
        const auto rest = bytes_.subspan(at_);
        const auto end = std::find(rest.begin(), rest.end(), '\n');
        const auto length = static_cast<std::size_t>(end - rest.begin());
        if (end == rest.end() || length > kMaxNameBytes) {
            return broken("a name without an end");
        }
        at_ += length + 1;
        return std::string(rest.begin(), end);
    }

    // ---- stack
    void push(PickleNode node) {
        out_.nodes_.push_back(std::move(node));
        stack_.push_back(out_.nodes_.size() - 1);
    }

    Result<std::size_t> pop() {
        if (stack_.size() <= floor()) {
            return broken("takes a value from an empty stack");
        }
        const std::size_t top = stack_.back();
        stack_.pop_back();
        return top;
    }

    /// Values above the newest mark belong to it; what is below cannot be taken before the mark is.
    std::size_t floor() const { return marks_.empty() ? 0 : marks_.back(); }

    Result<std::vector<std::size_t>> popToMark() {
        if (marks_.empty()) {
            return broken("no mark to go back to");
        }
        const auto begin = stack_.begin() + static_cast<std::ptrdiff_t>(marks_.back());
        std::vector<std::size_t> items(begin, stack_.end());
        stack_.erase(begin, stack_.end());
        marks_.pop_back();
        return items;
    }

    Result<PickleNode*> top(PickleKind kind, const char* what) {
        if (stack_.size() <= floor() || out_.nodes_[stack_.back()].kind != kind) {
            return broken(std::string(what) + " has nothing to work on");
        }
        return &out_.nodes_[stack_.back()];
    }

    // ---- opcodes
    Result<void> step(std::uint8_t opcode) {
        switch (opcode) {
            case 0x80: return protocol();
            case '.': stopped_ = true; return {};
            case '(': marks_.push_back(stack_.size()); return {};
            case 'N': push({PickleKind::None}); return {};
            case 0x88: push({PickleKind::Bool, 1}); return {};
            case 0x89: push({PickleKind::Bool, 0}); return {};
            case 'K': return pushCount(1);
            case 'M': return pushCount(2);
            case 'J': return pushInt();
            case 0x8A: return pushLong();
            case 'G': return pushFloat();
            case 'X': return pushText();
            case '}': push({PickleKind::Dict}); return {};
            case ']': push({PickleKind::List}); return {};
            case ')': push({PickleKind::Tuple}); return {};
            case 't': return tupleToMark();
            case 0x85: return tupleOf(1);
            case 0x86: return tupleOf(2);
            case 0x87: return tupleOf(3);
            default: return stepOnContainers(opcode);
        }
    }

    Result<void> stepOnContainers(std::uint8_t opcode) {
        switch (opcode) {
            case 's': return setItems({});
            case 'u': return setItemsToMark();
            case 'a': return appendOne();
            case 'e': return appendToMark();
            case 'q': return put(1);
            case 'r': return put(4);
            case 'h': return get(1);
            case 'j': return get(4);
            case 'c': return global();
            case 'R': return reduce();
            case 'b': return build();
            case 'Q': return persistent();
            default:
                return Error{ErrorCode::Unsupported,
                             "pickle: opcode " + hex(opcode) + " is refused"};
        }
    }

    Result<void> protocol() {
        BIFOCAL_TRY(const std::uint8_t version, byte());
        return version == 2
                   ? Result<void>()
                   : Error{ErrorCode::Unsupported, "pickle: protocol " + std::to_string(version)};
    }

    Result<void> pushCount(std::size_t size) {
        BIFOCAL_TRY(const std::uint64_t value, number(size));
        push({PickleKind::Int, static_cast<std::int64_t>(value)});
        return {};
    }

    Result<void> pushInt() {
        BIFOCAL_TRY(const std::uint64_t value, number(4));
        push({PickleKind::Int, static_cast<std::int32_t>(static_cast<std::uint32_t>(value))});
        return {};
    }

    Result<void> pushLong() {
        BIFOCAL_TRY(const std::uint8_t size, byte());
        if (size > kMaxLongBytes) {
            return broken("an integer of " + std::to_string(size) + " bytes");
        }
        BIFOCAL_TRY(const std::string raw, text(size));
        PickleNode node{PickleKind::Int};
        if (size > 8) {
            node.kind = PickleKind::BigInt;
            node.text = raw;
        } else if (size > 0) {
            const bool negative = (static_cast<std::uint8_t>(raw.back()) & 0x80U) != 0;
            std::array<std::uint8_t, 8> wide{};
            wide.fill(negative ? 0xFF : 0);
            std::memcpy(wide.data(), raw.data(), raw.size());
            std::memcpy(&node.integer, wide.data(), wide.size());
        }
        push(std::move(node));
        return {};
    }

    Result<void> pushFloat() {
        BIFOCAL_TRY(const auto piece, take(8));
        std::uint64_t bits = 0;
        for (const std::uint8_t b : piece) {
            bits = (bits << 8U) | b;
        }
        PickleNode node{PickleKind::Float};
        std::memcpy(&node.real, &bits, sizeof(bits));
        push(std::move(node));
        return {};
    }

    Result<void> pushText() {
        BIFOCAL_TRY(const std::uint64_t size, number(4));
        PickleNode node{PickleKind::Text};
        BIFOCAL_TRY(node.text, text(size));
        push(std::move(node));
        return {};
    }

    Result<void> tupleToMark() {
        PickleNode node{PickleKind::Tuple};
        BIFOCAL_TRY(node.items, popToMark());
        push(std::move(node));
        return {};
    }

    Result<void> tupleOf(std::size_t size) {
        PickleNode node{PickleKind::Tuple};
        node.items.resize(size);
        for (std::size_t i = size; i-- > 0;) {
            BIFOCAL_TRY(node.items[i], pop());
        }
        push(std::move(node));
        return {};
    }

    Result<void> setItems(std::vector<std::size_t> pairs) {
        if (pairs.empty()) {
            BIFOCAL_TRY(const std::size_t value, pop());
            BIFOCAL_TRY(const std::size_t key, pop());
            pairs = {key, value};
        }
        if (pairs.size() % 2 != 0) {
            return broken("a key without a value");
        }
        BIFOCAL_TRY(PickleNode * dict, top(PickleKind::Dict, "SETITEMS"));
        for (std::size_t i = 0; i < pairs.size(); i += 2) {
            dict->entries.emplace_back(pairs[i], pairs[i + 1]);
        }
        return {};
    }

    Result<void> setItemsToMark() {
        BIFOCAL_TRY(std::vector<std::size_t> pairs, popToMark());
        return pairs.empty() ? Result<void>() : setItems(std::move(pairs));
    }

    Result<void> appendOne() {
        BIFOCAL_TRY(const std::size_t value, pop());
        BIFOCAL_TRY(PickleNode * list, top(PickleKind::List, "APPEND"));
        list->items.push_back(value);
        return {};
    }

    Result<void> appendToMark() {
        BIFOCAL_TRY(const std::vector<std::size_t> values, popToMark());
        BIFOCAL_TRY(PickleNode * list, top(PickleKind::List, "APPENDS"));
        list->items.insert(list->items.end(), values.begin(), values.end());
        return {};
    }

    Result<void> put(std::size_t size) {
        BIFOCAL_TRY(const std::uint64_t slot, number(size));
        if (stack_.size() <= floor()) {
            return broken("remembers nothing");
        }
        memo_[slot] = stack_.back();
        return {};
    }

    Result<void> get(std::size_t size) {
        BIFOCAL_TRY(const std::uint64_t slot, number(size));
        const auto found = memo_.find(slot);
        if (found == memo_.end()) {
            return broken("recalls what it never remembered");
        }
        stack_.push_back(found->second);
        return {};
    }

    Result<void> global() {
        BIFOCAL_TRY(const std::string module, line());
        BIFOCAL_TRY(const std::string name, line());
        PickleNode node{PickleKind::Global};
        node.text = module + "." + name;
        if (std::find(kGlobals.begin(), kGlobals.end(), node.text) == kGlobals.end()) {
            return Error{ErrorCode::Unsupported, "pickle: global '" + node.text + "' is refused"};
        }
        push(std::move(node));
        return {};
    }

    Result<void> reduce() {
        BIFOCAL_TRY(const std::size_t arguments, pop());
        BIFOCAL_TRY(const std::size_t callee, pop());
        const PickleNode& tuple = out_.nodes_[arguments];
        const PickleNode& name = out_.nodes_[callee];
        if (name.kind != PickleKind::Global || tuple.kind != PickleKind::Tuple) {
            return broken("REDUCE has nothing to work on");
        }
        if (name.text == kGlobals[0] && tuple.items.empty()) {
            push({PickleKind::Dict});
            return {};
        }
        if (name.text == kGlobals[1] && tuple.items.size() == 6) {
            PickleNode node{PickleKind::Tensor};
            node.items = tuple.items;
            push(std::move(node));
            return {};
        }
        return Error{ErrorCode::Unsupported, "pickle: a call of '" + name.text + "' is refused"};
    }

    /// Attributes of an ordered dict ("_metadata"): read, and left out.
    Result<void> build() {
        BIFOCAL_CHECK(pop());
        BIFOCAL_CHECK(top(PickleKind::Dict, "BUILD"));
        return {};
    }

    Result<void> persistent() {
        PickleNode node{PickleKind::Persistent};
        BIFOCAL_TRY(const std::size_t id, pop());
        node.items = {id};
        push(std::move(node));
        return {};
    }

    std::span<const std::uint8_t> bytes_;
    std::size_t at_ = 0;
    bool stopped_ = false;
    std::vector<std::size_t> stack_;
    std::vector<std::size_t> marks_;
    std::map<std::uint64_t, std::size_t> memo_;
    Pickle out_;
};

Result<Pickle> Pickle::parse(std::span<const std::uint8_t> bytes) {
    return PickleMachine(bytes).run();
}

}  // namespace bifocal::models
