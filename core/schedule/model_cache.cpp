// SPDX-License-Identifier: Apache-2.0
#include "core/schedule/model_cache.h"

#include "core/base/assert.h"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <utility>

namespace bifocal::schedule {

namespace {

constexpr std::size_t kMostRemembered = 256;
constexpr double kAlike = 1.125;
constexpr std::chrono::milliseconds kRetryAfter{20};

/// Loads the model and warms it up, with no lock held.
Result<CachedModel> loadWarm(const ModelSource& source) {
    BIFOCAL_TRY(CachedModel model, source.load());
    if (model == nullptr) {
        return Error{ErrorCode::Internal, "nothing was loaded"};
    }
    if (source.warmUp) {
        BIFOCAL_CHECK(source.warmUp(model.get()));
    }
    return model;
}

}  // namespace

ModelCache::Pin::Pin(Pin&& other) noexcept
    : cache_(std::exchange(other.cache_, nullptr)), entry_(std::exchange(other.entry_, nullptr)) {}

ModelCache::Pin& ModelCache::Pin::operator=(Pin&& other) noexcept {
    if (this != &other) {
        unpin();
        cache_ = std::exchange(other.cache_, nullptr);
        entry_ = std::exchange(other.entry_, nullptr);
    }
    return *this;
}

ModelCache::Pin::~Pin() {
    unpin();
}

const void* ModelCache::Pin::model() const {
    BIFOCAL_ASSERT(entry_ != nullptr);
    return entry_->model.get();  // does not change while pinned
}

void ModelCache::Pin::unpin() {
    if (cache_ != nullptr) {
        cache_->unpin(*entry_);
    }
}

ModelCache::ModelCache(MemoryLedger& ledger, const Clock& clock, Eviction eviction)
    : ledger_(ledger), clock_(clock), eviction_(eviction) {}

ModelCache::~ModelCache() {
    std::unique_lock lock(mutex_);
    Victims all;
    for (auto& [key, entry] : entries_) {
        BIFOCAL_ASSERT(entry.pinCount == 0 && entry.state != State::Loading);
        if (entry.state == State::Ready) {
            all.push_back(&entry);
        }
    }
    evict(lock, all);
}

Result<ModelCache::Pin> ModelCache::acquire(const ModelSource& source,
                                            const std::stop_token& stop) {
    BIFOCAL_ASSERT(source.load != nullptr);
    std::unique_lock lock(mutex_);
    Entry* entry = &touch(source.key);
    while (entry->state == State::Loading) {
        const std::shared_ptr<Attempt> attempt = entry->attempt;
        if (!changed_.wait(lock, stop, [&] { return attempt->isOver; })) {
            return Error{ErrorCode::Cancelled, source.key + ": stop was requested"};
        }
        if (attempt->error) {
            return *attempt->error;
        }
        // By now it may have been evicted and even forgotten.
        entry = &entries_[source.key];
    }
    if (entry->state == State::Ready) {
        ++stats_.hitCount;
        ++entry->pinCount;
        return Pin(this, entry);
    }
    return loadInto(*entry, lock, source);
}

Result<ModelCache::Pin> ModelCache::loadInto(Entry& entry,
                                             std::unique_lock<std::mutex>& lock,
                                             const ModelSource& source) {
    const auto attempt = std::make_shared<Attempt>();
    entry.state = State::Loading;  // from here on the entry stays, and nobody else loads
    entry.attempt = attempt;
    Result<CachedModel> model = Error{};
    Duration time{0};
    std::uint64_t bytes = source.bytes;
    if (Result<void> room = makeRoom(lock, source); !room) {
        model = room.error();
    } else {
        stats_.residentBytes += source.bytes;
        lock.unlock();
        const TimePoint begin = clock_.now();
        model = loadWarm(source);
        time = clock_.now() - begin;
        if (!model) {
            bytes = 0;
        } else if (source.bytesOf) {
            bytes = source.bytesOf(model->get());
        }
        if (bytes < source.bytes) {
            ledger_.removePersistent(source.bytes - bytes);
        } else if (bytes > source.bytes) {
            ledger_.addPersistent(bytes - source.bytes);
        }
        lock.lock();
        stats_.residentBytes -= source.bytes;
        stats_.residentBytes += bytes;
    }
    attempt->isOver = true;
    entry.attempt.reset();
    if (!model) {
        ++stats_.failedCount;
        attempt->error = std::move(model).error().withContext(source.key);
        entry.state = State::Absent;
        changed_.notify_all();
        return *attempt->error;
    }
    entry.state = State::Ready;
    entry.model = *std::move(model);
    entry.bytes = bytes;
    entry.pinCount = 1;
    entry.reloadTime = source.reloadTime.value_or(time);
    ++stats_.loadCount;
    stats_.loadTime += time;
    changed_.notify_all();
    return Pin(this, &entry);
}

Result<void> ModelCache::makeRoom(std::unique_lock<std::mutex>& lock, const ModelSource& source) {
    // Whoever else asks the ledger may take what was freed here; then the next victims go, if any.
    while (!ledger_.tryAddPersistent(source.bytes)) {
        const MemoryLedger::Snapshot memory = ledger_.snapshot();
        if (memory.fits(source.bytes)) {
            continue;
        }
        // Ours may be counted here for a moment after they have left the ledger.
        const std::uint64_t others =
            memory.persistentBytes - std::min(memory.persistentBytes, stats_.residentBytes);
        if (others > memory.budgetBytes || source.bytes > memory.budgetBytes - others) {
            return Error{ErrorCode::ResourceExhausted,
                         std::to_string(source.bytes) + " bytes are more than the budget can hold"};
        }
        const Victims victims =
            chooseVictims(memory.usedBytes() + source.bytes - memory.budgetBytes);
        if (!victims.empty()) {
            evict(lock, victims);
        } else if (leavingCount_ > 0) {
            changed_.wait(lock, [&, before = leftCount_] { return leftCount_ != before; });
        } else {
            return Error{ErrorCode::Busy, "models and tasks in use leave no room", kRetryAfter};
        }
    }
    return {};
}

std::uint64_t ModelCache::evict(std::uint64_t bytes) {
    std::unique_lock lock(mutex_);
    Victims victims = chooseVictims(bytes);
    if (victims.empty() && bytes > 0) {
        victims = idleModels();
    }
    return evict(lock, victims);
}

std::uint64_t ModelCache::evict(std::unique_lock<std::mutex>& lock, const Victims& victims) {
    std::vector<CachedModel> models;
    std::uint64_t bytes = 0;
    for (Entry* entry : victims) {
        BIFOCAL_ASSERT(entry->state == State::Ready && entry->pinCount == 0);
        models.push_back(std::move(entry->model));
        entry->model.reset();
        entry->state = State::Absent;
        bytes += entry->bytes;
        ++stats_.evictionCount;
    }
    if (models.empty()) {
        return 0;
    }
    ++leavingCount_;
    lock.unlock();
    models.clear();  // the device's memory is free before the ledger says so
    ledger_.removePersistent(bytes);
    lock.lock();
    stats_.residentBytes -= bytes;
    --leavingCount_;
    ++leftCount_;
    changed_.notify_all();
    return bytes;
}

bool ModelCache::isResident(const std::string& key) const {
    const std::lock_guard lock(mutex_);
    const auto found = entries_.find(key);
    return found != entries_.end() && found->second.state == State::Ready;
}

ModelCache::Stats ModelCache::stats() const {
    const std::lock_guard lock(mutex_);
    return stats_;
}

ModelCache::Entry& ModelCache::touch(const std::string& key) {
    ++useCount_;
    const auto [found, isNew] = entries_.try_emplace(key);
    Entry& entry = found->second;
    entry.uses = usesNow(entry) + 1;
    entry.lastUse = useCount_;
    if (isNew && entries_.size() > kMostRemembered) {
        forgetOldest();
    }
    return entry;
}

double ModelCache::usesNow(const Entry& entry) const {
    return entry.uses * std::exp2(-static_cast<double>(useCount_ - entry.lastUse) / kUsesHalfLife);
}

double ModelCache::worth(const Entry& entry) const {
    const double seconds = std::chrono::duration<double>(entry.reloadTime).count();
    return seconds * usesNow(entry) / static_cast<double>(std::max<std::uint64_t>(entry.bytes, 1));
}

ModelCache::Entry* ModelCache::leastWorth(const Victims& candidates) const {
    const auto isOlder = [](const Entry* a, const Entry* b) { return a->lastUse < b->lastUse; };
    if (eviction_ == Eviction::LeastRecentlyUsed) {
        return *std::min_element(candidates.begin(), candidates.end(), isOlder);
    }
    double least = worth(*candidates.front());
    for (const Entry* entry : candidates) {
        least = std::min(least, worth(*entry));
    }
    Entry* chosen = nullptr;
    for (Entry* entry : candidates) {
        if (worth(*entry) <= least * kAlike && (chosen == nullptr || isOlder(chosen, entry))) {
            chosen = entry;
        }
    }
    return chosen;
}

ModelCache::Victims ModelCache::idleModels() {
    Victims idle;
    for (auto& [key, entry] : entries_) {
        if (entry.state == State::Ready && entry.pinCount == 0) {
            idle.push_back(&entry);
        }
    }
    return idle;
}

ModelCache::Victims ModelCache::chooseVictims(std::uint64_t bytes) {
    Victims candidates = idleModels();
    Victims victims;
    std::uint64_t freed = 0;
    while (freed < bytes && !candidates.empty()) {
        Entry* entry = leastWorth(candidates);
        candidates.erase(std::find(candidates.begin(), candidates.end(), entry));
        victims.push_back(entry);
        freed += entry->bytes;
    }
    if (freed < bytes) {
        return {};
    }
    // A small one that went first is spared when a large one after it frees enough alone.
    for (std::size_t i = victims.size(); i-- > 0;) {
        if (freed - victims[i]->bytes >= bytes) {
            freed -= victims[i]->bytes;
            victims.erase(victims.begin() + static_cast<std::ptrdiff_t>(i));
        }
    }
    return victims;
}

void ModelCache::forgetOldest() {
    auto oldest = entries_.end();
    for (auto it = entries_.begin(); it != entries_.end(); ++it) {
        if (it->second.state == State::Absent && it->second.lastUse != useCount_ &&
            (oldest == entries_.end() || it->second.lastUse < oldest->second.lastUse)) {
            oldest = it;
        }
    }
    if (oldest != entries_.end()) {
        entries_.erase(oldest);
    }
}

void ModelCache::unpin(Entry& entry) {
    bool isIdle = false;
    {
        const std::lock_guard lock(mutex_);
        BIFOCAL_ASSERT(entry.pinCount > 0);
        isIdle = --entry.pinCount == 0;
    }
    if (isIdle && idle_) {
        idle_();
    }
}

void ModelCache::setIdleHandler(std::function<void()> idle) {
    idle_ = std::move(idle);
}

}  // namespace bifocal::schedule
