// SPDX-License-Identifier: Apache-2.0
#include "models/convert/state_dict.h"

#include <array>
#include <cstring>
#include <limits>
#include <optional>
#include <utility>

#include "models/convert/pickle.h"

namespace bifocal::models {
namespace {

// 0x1950a86a20f9469cfc6c, as a pickle writes it.
constexpr std::array<std::uint8_t, 10> kMagic{
    0x6C, 0xFC, 0x9C, 0x46, 0xF9, 0x20, 0x6A, 0xA8, 0x50, 0x19};
constexpr std::int64_t kProtocol = 1001;
constexpr std::size_t kMaxElements = std::size_t{1} << 31U;
constexpr const char* kFloatStorage = "torch.FloatStorage";

Error broken(const std::string& message) {
    return {ErrorCode::Corruption, "state dict: " + message};
}

/// What the stream says about one tensor.
struct TensorPlan {
    std::string storageKey;
    bool isFloat = false;
    std::size_t storageElements = 0;
    std::vector<std::size_t> shape;
    std::vector<std::size_t> strides;
    std::size_t offset = 0;
};

Result<std::size_t> countAt(const Pickle& pickle, std::size_t index) {
    const PickleNode& node = pickle.node(index);
    if (node.kind != PickleKind::Int || node.integer < 0 ||
        static_cast<std::uint64_t>(node.integer) > kMaxElements) {
        return broken("a size that is none");
    }
    return static_cast<std::size_t>(node.integer);
}

Result<std::vector<std::size_t>> countsAt(const Pickle& pickle, std::size_t index) {
    const PickleNode& node = pickle.node(index);
    if (node.kind != PickleKind::Tuple || node.items.size() > 8) {
        return broken("a shape that is none");
    }
    std::vector<std::size_t> counts;
    for (const std::size_t item : node.items) {
        BIFOCAL_TRY(const std::size_t count, countAt(pickle, item));
        counts.push_back(count);
    }
    return counts;
}

/// ('storage', type, key, location, element count, view metadata).
Result<void> readStorage(const Pickle& pickle, std::size_t index, TensorPlan& plan) {
    const PickleNode& persistent = pickle.node(index);
    if (persistent.kind != PickleKind::Persistent) {
        return broken("a tensor without a storage");
    }
    const PickleNode& tuple = pickle.node(persistent.items[0]);
    if (tuple.kind != PickleKind::Tuple || tuple.items.size() != 6) {
        return broken("a storage that is none");
    }
    const PickleNode& word = pickle.node(tuple.items[0]);
    const PickleNode& type = pickle.node(tuple.items[1]);
    const PickleNode& key = pickle.node(tuple.items[2]);
    if (word.kind != PickleKind::Text || word.text != "storage" ||
        type.kind != PickleKind::Global || key.kind != PickleKind::Text ||
        pickle.node(tuple.items[5]).kind != PickleKind::None) {
        return broken("a storage that is none");
    }
    plan.storageKey = key.text;
    plan.isFloat = type.text == kFloatStorage;
    BIFOCAL_TRY(plan.storageElements, countAt(pickle, tuple.items[4]));
    return {};
}

/// The last element a tensor touches must be inside its storage, and its size must not overflow.
Result<void> checkBounds(const TensorPlan& plan) {
    std::size_t elements = 1;
    std::size_t last = plan.offset;
    for (std::size_t d = 0; d < plan.shape.size(); ++d) {
        if (plan.shape[d] == 0) {
            return broken("an empty tensor");
        }
        elements *= plan.shape[d];
        last += (plan.shape[d] - 1) * plan.strides[d];
        // Each factor is at most 2^31, so neither can wrap before this sees it.
        if (elements > kMaxElements || last >= plan.storageElements) {
            return broken("a tensor that reaches beyond its storage");
        }
    }
    return last < plan.storageElements ? Result<void>() : broken("an empty storage");
}

Result<TensorPlan> readPlan(const Pickle& pickle, std::size_t index) {
    const PickleNode& tensor = pickle.node(index);
    if (tensor.kind != PickleKind::Tensor) {
        return broken("an entry that is no tensor");
    }
    TensorPlan plan;
    BIFOCAL_CHECK(readStorage(pickle, tensor.items[0], plan));
    BIFOCAL_TRY(plan.offset, countAt(pickle, tensor.items[1]));
    BIFOCAL_TRY(plan.shape, countsAt(pickle, tensor.items[2]));
    BIFOCAL_TRY(plan.strides, countsAt(pickle, tensor.items[3]));
    if (plan.shape.size() != plan.strides.size()) {
        return broken("a shape without its strides");
    }
    BIFOCAL_CHECK(checkBounds(plan));
    return plan;
}

/// The pickles at the front of the file, one after the other.
struct Preamble {
    std::map<std::string, TensorPlan> plans;
    std::vector<std::string> keys;
    std::size_t size = 0;
};

Result<std::map<std::string, TensorPlan>> readPlans(const Pickle& pickle) {
    if (pickle.root().kind != PickleKind::Dict) {
        return broken("no dict of tensors");
    }
    std::map<std::string, TensorPlan> plans;
    for (const auto& [key, value] : pickle.root().entries) {
        const PickleNode& name = pickle.node(key);
        if (name.kind != PickleKind::Text) {
            return broken("a tensor without a name");
        }
        auto plan = readPlan(pickle, value);
        if (!plan) {
            return plan.error().withContext("'" + name.text + "'");
        }
        if (!plans.emplace(name.text, *std::move(plan)).second) {
            return broken("'" + name.text + "' is there twice");
        }
    }
    return plans;
}

bool isLittleEndian(const Pickle& pickle) {
    for (const auto& [key, value] : pickle.root().entries) {
        if (pickle.node(key).text == "little_endian") {
            return pickle.node(value).kind == PickleKind::Bool && pickle.node(value).integer == 1;
        }
    }
    return false;
}

Result<Preamble> readPreamble(std::span<const std::uint8_t> bytes) {
    Preamble out;
    const auto next = [&]() -> Result<Pickle> {
        BIFOCAL_TRY(Pickle pickle, Pickle::parse(bytes.subspan(out.size)));
        out.size += pickle.size();
        return pickle;
    };
    BIFOCAL_TRY(const Pickle magic, next());
    const std::string_view expected(reinterpret_cast<const char*>(kMagic.data()), kMagic.size());
    if (magic.root().kind != PickleKind::BigInt || magic.root().text != expected) {
        return broken("not this format: the magic number is missing");
    }
    BIFOCAL_TRY(const Pickle protocol, next());
    if (protocol.root().kind != PickleKind::Int || protocol.root().integer != kProtocol) {
        return broken("not protocol 1001");
    }
    BIFOCAL_TRY(const Pickle system, next());
    if (!isLittleEndian(system)) {
        return broken("not little-endian");
    }
    BIFOCAL_TRY(const Pickle dict, next());
    BIFOCAL_TRY(out.plans, readPlans(dict));
    BIFOCAL_TRY(const Pickle keys, next());
    if (keys.root().kind != PickleKind::List) {
        return broken("no list of storages");
    }
    for (const std::size_t item : keys.root().items) {
        out.keys.push_back(keys.node(item).text);
    }
    return out;
}

/// Element type and count of every storage, as the tensors state them; they must agree.
Result<std::map<std::string, std::pair<bool, std::size_t>>> storagesOf(
    const std::map<std::string, TensorPlan>& plans) {
    std::map<std::string, std::pair<bool, std::size_t>> storages;
    for (const auto& [name, plan] : plans) {
        const std::pair stated(plan.isFloat, plan.storageElements);
        if (storages.emplace(plan.storageKey, stated).first->second != stated) {
            return broken("'" + name + "' disagrees about its storage");
        }
    }
    return storages;
}

/// The bytes of every storage.
Result<std::map<std::string, std::span<const std::uint8_t>>> readStorages(
    std::span<const std::uint8_t> bytes, const Preamble& preamble) {
    BIFOCAL_TRY(const auto stated, storagesOf(preamble.plans));
    std::map<std::string, std::span<const std::uint8_t>> storages;
    std::size_t at = preamble.size;
    for (const std::string& key : preamble.keys) {
        const auto storage = stated.find(key);
        if (storage == stated.end()) {
            return broken("storage " + key + " belongs to no tensor");
        }
        const auto [isFloat, elements] = storage->second;
        std::uint64_t count = 0;
        if (bytes.size() - at < sizeof(count)) {
            return broken("cut off before storage " + key);
        }
        std::memcpy(&count, bytes.data() + at, sizeof(count));
        at += sizeof(count);
        const std::size_t size = elements * (isFloat ? 4 : 8);
        if (count != elements || bytes.size() - at < size) {
            return broken("storage " + key + " is cut off or has another size than stated");
        }
        if (!storages.emplace(key, bytes.subspan(at, size)).second) {
            return broken("storage " + key + " is there twice");
        }
        at += size;
    }
    if (at != bytes.size()) {
        return broken("bytes after the last storage");
    }
    return storages;
}

/// Row-major copy through the strides.
FloatTensor gather(const TensorPlan& plan, std::span<const std::uint8_t> storage) {
    std::size_t elements = 1;
    for (const std::size_t side : plan.shape) {
        elements *= side;
    }
    FloatTensor out{plan.shape, std::vector<float>(elements)};
    std::vector<std::size_t> index(plan.shape.size(), 0);
    for (float& value : out.values) {
        std::size_t from = plan.offset;
        for (std::size_t d = 0; d < index.size(); ++d) {
            from += index[d] * plan.strides[d];
        }
        std::memcpy(&value, storage.data() + from * sizeof(float), sizeof(float));
        for (std::size_t d = index.size(); d-- > 0;) {
            if (++index[d] < plan.shape[d]) {
                break;
            }
            index[d] = 0;
        }
    }
    return out;
}

}  // namespace

Result<std::map<std::string, FloatTensor>> readStateDict(std::span<const std::uint8_t> bytes) {
    BIFOCAL_TRY(const Preamble preamble, readPreamble(bytes));
    BIFOCAL_TRY(const auto storages, readStorages(bytes, preamble));
    std::map<std::string, FloatTensor> tensors;
    for (const auto& [name, plan] : preamble.plans) {
        const auto storage = storages.find(plan.storageKey);
        if (storage == storages.end()) {
            return broken("'" + name + "' has no storage in the file");
        }
        if (plan.isFloat) {
            tensors.emplace(name, gather(plan, storage->second));
        }
    }
    return tensors;
}

}  // namespace bifocal::models
