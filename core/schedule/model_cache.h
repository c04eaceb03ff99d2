// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/base/clock.h"
#include "core/base/result.h"
#include "core/schedule/memory_ledger.h"

#include <condition_variable>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <stop_token>
#include <string>
#include <vector>

namespace bifocal::schedule {

/// A model as the cache sees it: weights of some type, behind a pointer that frees them.
/// Threads: value.
using CachedModel = std::shared_ptr<const void>;

/// What acquire() needs to bring a model in. Threads: value.
struct ModelSource {
    std::string key;
    std::uint64_t bytes = 0;  ///< of device memory, as its allocator counts them
    std::function<Result<CachedModel>()> load;
    /// How many it took, where only a loaded model knows and `bytes` is a guess; may be empty.
    std::function<std::uint64_t(const void* model)> bytesOf;
    /// Runs once before anyone sees the model, so that nobody's prompt pays for it; may be empty.
    std::function<Result<void>(const void* model)> warmUp;
    /// What it will take to bring it in again; none: as long as the last time. Worth giving when
    /// the first load is from disk and later ones are from memory.
    std::optional<Duration> reloadTime;
};

enum class Eviction : std::uint8_t {
    /// The model goes whose bytes buy least: (seconds to load it again) · (recent uses) / bytes.
    /// Recent uses halve with every kUsesHalfLife acquires. Between models that are worth alike
    /// (within an eighth) the one used last goes: models that take turns are needed again in the
    /// order of their last use, and evicting the oldest would always evict the next.
    CostAware = 1,
    LeastRecentlyUsed,  ///< for comparison
};

/// Models on one device, loaded when asked for and evicted when others need their place; their
/// bytes are persistent bytes of the ledger.
/// Invariants: (1) a model that is pinned or being loaded is never evicted; (2) at most one thread
/// loads a model, the others wait for it and share its outcome; (3) bytes are in the ledger before
/// load() begins and until the model is destroyed, so that both copies count when it is loaded
/// again meanwhile; (4) load(), warmUp(), models' destructors and the ledger's handler are called
/// with no lock of the cache held; (5) nothing is evicted for a model that would not fit even then.
/// Threads: safe. Requires: no pin outlives it.
class ModelCache {
    struct Entry;

public:
    static constexpr double kUsesHalfLife = 64;

    /// Keeps a model where it is. Threads: compatible.
    class Pin {
    public:
        Pin(const Pin&) = delete;
        Pin& operator=(const Pin&) = delete;
        Pin(Pin&& other) noexcept;
        Pin& operator=(Pin&& other) noexcept;
        ~Pin();

        /// Requires: Model is the type that load() made.
        template <typename Model>
        const Model& as() const {
            return *static_cast<const Model*>(model());
        }
        const void* model() const;

    private:
        friend class ModelCache;
        Pin(ModelCache* cache, Entry* entry) : cache_(cache), entry_(entry) {}
        void unpin();

        ModelCache* cache_;  // null: moved from
        Entry* entry_;
    };

    struct Stats {
        std::uint64_t hitCount = 0;   ///< the model was there
        std::uint64_t loadCount = 0;  ///< it had to be loaded
        std::uint64_t failedCount = 0;
        std::uint64_t evictionCount = 0;
        std::uint64_t residentBytes = 0;  ///< in the ledger, those being loaded too
        Duration loadTime{0};             ///< of all loads, with their warm-ups
    };

    /// `ledger` and `clock` must outlive it; the clock measures what loading costs.
    ModelCache(MemoryLedger& ledger, const Clock& clock, Eviction eviction = Eviction::CostAware);
    ModelCache(const ModelCache&) = delete;
    ModelCache& operator=(const ModelCache&) = delete;
    ~ModelCache();

    /// The model, loaded if need be; may take as long as load() does. ResourceExhausted: larger
    /// than the budget beside what else stays. Busy: pinned models and running tasks are in the way
    /// now. Cancelled: stop was requested while another thread loaded it. Else what load() or
    /// warmUp() answered.
    Result<Pin> acquire(const ModelSource& source, const std::stop_token& stop = {});

    /// Evicts what is worth least until `bytes` are free; returns how many it could free. For a
    /// budget that has shrunk: Snapshot::overBytes() of the ledger.
    std::uint64_t evict(std::uint64_t bytes);

    /// Called when the last pin of a model is gone, with no lock held: it could be evicted now.
    /// Requires: set before other threads know the cache.
    void setIdleHandler(std::function<void()> idle);

    bool isResident(const std::string& key) const;
    Stats stats() const;

private:
    enum class State : std::uint8_t { Absent = 1, Loading, Ready };

    struct Attempt {
        bool isOver = false;
        std::optional<Error> error;
    };

    struct Entry {
        State state = State::Absent;
        CachedModel model;
        std::uint64_t bytes = 0;
        std::uint32_t pinCount = 0;
        double uses = 0;            // decayed up to lastUse
        std::uint64_t lastUse = 0;  // in acquires
        Duration reloadTime{0};
        std::shared_ptr<Attempt> attempt;  // while Loading
    };
    using Victims = std::vector<Entry*>;

    // With mutex_ held:
    Entry& touch(const std::string& key);
    double usesNow(const Entry& entry) const;
    double worth(const Entry& entry) const;
    Entry* leastWorth(const Victims& candidates) const;
    Victims idleModels();
    Victims chooseVictims(std::uint64_t bytes);
    std::uint64_t evict(std::unique_lock<std::mutex>& lock, const Victims& victims);
    Result<void> makeRoom(std::unique_lock<std::mutex>& lock, const ModelSource& source);
    Result<Pin> loadInto(Entry& entry,
                         std::unique_lock<std::mutex>& lock,
                         const ModelSource& source);
    void forgetOldest();

    void unpin(Entry& entry);

    MemoryLedger& ledger_;
    const Clock& clock_;
    const Eviction eviction_;
    std::function<void()> idle_;
    mutable std::mutex mutex_;  // guards what follows
    std::condition_variable_any changed_;
    std::map<std::string, Entry> entries_;  // of models gone, too: how often they were used
    std::uint64_t useCount_ = 0;
    std::uint64_t leavingCount_ = 0;  // threads that destroy evicted models
    std::uint64_t leftCount_ = 0;     // times that one of them was done
    Stats stats_;
};

}  // namespace bifocal::schedule
