// SPDX-License-Identifier: Apache-2.0
#include "core/schedule/model_cache.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <array>
#include <atomic>
#include <chrono>
#include <cstdint>
#include <memory>
#include <mutex>
#include <random>
#include <stop_token>
#include <string>
#include <thread>
#include <utility>
#include <vector>

namespace bifocal::schedule {
namespace {

/// Over a budget of 100 bytes; models are ints.
class ModelCacheTest : public ::testing::Test {
protected:
    ModelSource source(const std::string& key,
                       std::uint64_t bytes,
                       std::chrono::milliseconds loadTime = std::chrono::milliseconds(10)) {
        ModelSource source;
        source.key = key;
        source.bytes = bytes;
        source.load = [this, key, loadTime]() -> Result<CachedModel> {
            clock_.advance(loadTime);
            log_.push_back("load " + key);
            return CachedModel(new int(7), [this, key](const void* model) {
                log_.push_back("free " + key);
                delete static_cast<const int*>(model);
            });
        };
        return source;
    }
    ModelCache::Pin mustAcquire(const ModelSource& source) {
        auto pin = cache_.acquire(source);
        EXPECT_TRUE(pin) << pin.error().message;
        return *std::move(pin);
    }
    void use(const ModelSource& source) { mustAcquire(source); }
    ErrorCode refusal(const ModelSource& source) {
        const auto pin = cache_.acquire(source);
        EXPECT_FALSE(pin);
        return pin ? ErrorCode{} : pin.error().code;
    }

    std::vector<std::string> log_;
    ManualClock clock_;
    MemoryLedger ledger_{100};
    ModelCache cache_{ledger_, clock_};
};

TEST_F(ModelCacheTest, LoadsOnceAndCountsItsBytesAsPersistent) {
    const ModelCache::Pin pin = mustAcquire(source("a", 60));
    const ModelCache::Pin again = mustAcquire(source("a", 60));

    EXPECT_EQ(pin.as<int>(), 7);
    EXPECT_EQ(pin.model(), again.model());
    EXPECT_THAT(log_, ::testing::ElementsAre("load a"));
    EXPECT_EQ(ledger_.snapshot().persistentBytes, 60U);
    EXPECT_EQ(cache_.stats().hitCount, 1U);
    EXPECT_EQ(cache_.stats().loadCount, 1U);
    EXPECT_EQ(cache_.stats().loadTime, std::chrono::milliseconds(10));
}

TEST_F(ModelCacheTest, APinnedModelIsNotEvicted) {
    ModelCache::Pin a = mustAcquire(source("a", 60));
    EXPECT_EQ(refusal(source("b", 60)), ErrorCode::Busy);
    EXPECT_EQ(cache_.evict(1), 0U);
    ModelCache::Pin moved = std::move(a);
    EXPECT_EQ(refusal(source("b", 60)), ErrorCode::Busy);

    moved = mustAcquire(source("c", 40));

    use(source("b", 60));
    EXPECT_THAT(log_, ::testing::ElementsAre("load a", "load c", "free a", "load b"));
    EXPECT_EQ(ledger_.snapshot().persistentBytes, 100U);
}

TEST_F(ModelCacheTest, WhatTasksReserveIsInTheWayToo) {
    ASSERT_TRUE(ledger_.tryReserve(50));
    use(source("a", 40));

    EXPECT_EQ(refusal(source("b", 60)), ErrorCode::Busy);
    EXPECT_TRUE(cache_.isResident("a")) << "nothing is evicted in vain";
    ledger_.release(50);
}

TEST_F(ModelCacheTest, WhatIsLargerThanTheBudgetIsRefusedForGood) {
    use(source("a", 60));
    ledger_.addPersistent(20);

    EXPECT_EQ(refusal(source("b", 101)), ErrorCode::ResourceExhausted);
    EXPECT_EQ(refusal(source("b", 81)), ErrorCode::ResourceExhausted);
    use(source("b", 80));
    ledger_.removePersistent(20);
}

TEST_F(ModelCacheTest, EvictsTheBytesThatBuyLeast) {
    use(source("cheap", 30, std::chrono::milliseconds(10)));
    use(source("dear", 30, std::chrono::milliseconds(50)));
    use(source("big", 40, std::chrono::milliseconds(50)));

    use(source("new", 30));

    EXPECT_FALSE(cache_.isResident("cheap"));
    EXPECT_TRUE(cache_.isResident("dear"));
    EXPECT_TRUE(cache_.isResident("big"));
}

TEST_F(ModelCacheTest, EvictsWhatIsUsedSeldom) {
    for (int i = 0; i < 5; ++i) {
        use(source("often", 50));
    }
    use(source("once", 50));
    use(source("often", 50));

    use(source("new", 50));

    EXPECT_TRUE(cache_.isResident("often"));
}

TEST_F(ModelCacheTest, SparesASmallOneWhenALargeOneIsEnough) {
    use(source("small", 20, std::chrono::milliseconds(1)));
    use(source("large", 80, std::chrono::milliseconds(100)));

    use(source("new", 70));

    EXPECT_TRUE(cache_.isResident("small"));
    EXPECT_FALSE(cache_.isResident("large"));
}

TEST_F(ModelCacheTest, ABudgetThatShrinksIsMetByEviction) {
    use(source("a", 40));
    use(source("b", 40));
    const ModelCache::Pin pin = mustAcquire(source("c", 20));
    ledger_.setBudget(70);

    EXPECT_EQ(cache_.evict(ledger_.snapshot().overBytes()), 40U);
    EXPECT_EQ(ledger_.snapshot().overBytes(), 0U);
    EXPECT_EQ(cache_.evict(0), 0U);
    EXPECT_EQ(cache_.evict(1000), 40U) << "all that is idle";
    EXPECT_EQ(cache_.stats().residentBytes, 20U);
}

TEST_F(ModelCacheTest, WarmsUpBeforeAnyoneSeesTheModel) {
    ModelSource warmed = source("a", 10);
    warmed.warmUp = [this](const void* model) -> Result<void> {
        log_.push_back("warm " + std::to_string(*static_cast<const int*>(model)));
        EXPECT_FALSE(cache_.isResident("a"));
        return {};
    };

    use(warmed);
    use(warmed);

    EXPECT_THAT(log_, ::testing::ElementsAre("load a", "warm 7"));
}

TEST_F(ModelCacheTest, AFailedLoadLeavesNothingBehind) {
    ModelSource broken = source("a", 60);
    broken.load = []() -> Result<CachedModel> {
        return Error{ErrorCode::Corruption, "sha256 mismatch"};
    };
    ModelSource cold = source("b", 60);
    cold.warmUp = [](const void*) -> Result<void> {
        return Error{ErrorCode::Unsupported, "no kernel"};
    };
    ModelSource nothing = source("c", 60);
    nothing.load = []() -> Result<CachedModel> { return CachedModel(); };

    EXPECT_EQ(refusal(broken), ErrorCode::Corruption);
    EXPECT_EQ(cache_.acquire(broken).error().message, "a: sha256 mismatch");
    EXPECT_EQ(refusal(cold), ErrorCode::Unsupported);
    EXPECT_EQ(refusal(nothing), ErrorCode::Internal);

    EXPECT_THAT(log_, ::testing::ElementsAre("load b", "free b"));
    EXPECT_EQ(ledger_.snapshot().persistentBytes, 0U);
    EXPECT_EQ(cache_.stats().residentBytes, 0U);
    EXPECT_EQ(cache_.stats().failedCount, 4U);
    use(source("a", 60));
}

TEST_F(ModelCacheTest, TheLedgersHandlerMayAskTheCache) {
    int callCount = 0;
    ledger_.setFreedHandler([&] {
        ++callCount;
        EXPECT_FALSE(cache_.isResident("a"));
    });
    use(source("a", 60));

    use(source("b", 60));

    EXPECT_EQ(callCount, 1);
    ledger_.setFreedHandler({});
}

TEST_F(ModelCacheTest, AsManyKeysAsYouLikeDoNotFillItsMemory) {
    for (int i = 0; i < 2000; ++i) {
        use(source(std::to_string(i), 30));
    }

    EXPECT_EQ(cache_.stats().loadCount, 2000U);
    EXPECT_EQ(ledger_.snapshot().persistentBytes, 90U);
}

TEST(ModelCacheEndTest, FreesEverythingWhenItGoes) {
    ManualClock clock;
    MemoryLedger ledger(100);
    auto model = std::make_shared<const int>(1);
    {
        ModelCache cache(ledger, clock);
        ModelSource source;
        source.key = "a";
        source.bytes = 60;
        source.load = [&]() -> Result<CachedModel> { return CachedModel(model); };
        ASSERT_TRUE(cache.acquire(source));
        EXPECT_EQ(model.use_count(), 2);
    }

    EXPECT_EQ(model.use_count(), 1);
    EXPECT_EQ(ledger.snapshot().persistentBytes, 0U);
}

TEST(ModelCacheThreadsTest, OneThreadLoadsAndTheOthersShareItsOutcome) {
    for (const bool succeeds : {true, false}) {
        SteadyClock clock;
        MemoryLedger ledger(100);
        ModelCache cache(ledger, clock);
        std::atomic<int> loadCount{0};
        std::atomic<int> startedCount{0};
        ModelSource source;
        source.key = "a";
        source.bytes = 60;
        source.load = [&]() -> Result<CachedModel> {
            ++loadCount;
            startedCount.wait(0);
            while (const int started = startedCount) {
                if (started == 4) {
                    break;
                }
                startedCount.wait(started);
            }
            if (!succeeds) {
                return Error{ErrorCode::Corruption, "bad"};
            }
            return CachedModel(std::make_shared<const int>(7));
        };
        std::atomic<int> goodCount{0};
        std::vector<std::thread> threads;
        for (int i = 0; i < 4; ++i) {
            threads.emplace_back([&] {
                ++startedCount;
                startedCount.notify_all();
                const auto pin = cache.acquire(source);
                goodCount += pin ? 1 : 0;
            });
        }
        for (std::thread& thread : threads) {
            thread.join();
        }

        EXPECT_EQ(goodCount, succeeds ? 4 : 0);
        // A thread that came after the failure tries for itself.
        EXPECT_GE(loadCount, 1);
        EXPECT_LE(loadCount, succeeds ? 1 : 4);
    }
}

TEST(ModelCacheThreadsTest, WhoWaitsForALoadCanBeStopped) {
    SteadyClock clock;
    MemoryLedger ledger(100);
    ModelCache cache(ledger, clock);
    std::atomic<bool> isLoading{false};
    std::atomic<bool> mayEnd{false};
    ModelSource source;
    source.key = "a";
    source.bytes = 60;
    source.load = [&]() -> Result<CachedModel> {
        isLoading = true;
        isLoading.notify_all();
        mayEnd.wait(false);
        return CachedModel(std::make_shared<const int>(7));
    };
    std::thread loader([&] { EXPECT_TRUE(cache.acquire(source)); });
    isLoading.wait(false);
    std::stop_source stop;
    std::thread stopper([&] { stop.request_stop(); });

    const auto pin = cache.acquire(source, stop.get_token());

    ASSERT_FALSE(pin);
    EXPECT_EQ(pin.error().code, ErrorCode::Cancelled);
    stopper.join();
    mayEnd = true;
    mayEnd.notify_all();
    loader.join();
}

/// Five models of which two or three fit, four threads that hold up to two each, one that shrinks
/// the budget: what is held is alive, and the ledger tells the truth.
TEST(ModelCacheThreadsTest, NothingInUseIsEverFreed) {
    struct Model {
        std::atomic<int>* liveCount;
        std::uint32_t index;
        std::atomic<bool> isAlive{true};
        ~Model() {
            isAlive = false;
            --*liveCount;
        }
    };
    SteadyClock clock;
    MemoryLedger ledger(100);
    std::array<std::atomic<int>, 5> live{};
    std::atomic<std::uint64_t> servedCount{0};
    std::atomic<std::uint64_t> wrongCount{0};
    {
        ModelCache cache(ledger, clock);
        const auto sourceOf = [&](std::uint32_t index) {
            ModelSource source;
            source.key = std::to_string(index);
            source.bytes = 20 + 10 * index;
            source.load = [&live, index]() -> Result<CachedModel> {
                ++live[index];
                return CachedModel(new Model{&live[index], index});
            };
            return source;
        };
        const auto work = [&](std::uint32_t seed) {
            std::mt19937 random(seed);
            const auto draw = [&] { return static_cast<std::uint32_t>(random() % 5); };
            for (int i = 0; i < 3000; ++i) {
                const std::uint32_t first = draw();
                const auto a = cache.acquire(sourceOf(first));
                const auto b = cache.acquire(sourceOf(draw()));
                for (const auto* pin : {&a, &b}) {
                    if (*pin) {
                        wrongCount += (*pin)->as<Model>().isAlive ? 0 : 1;
                        ++servedCount;
                    } else {
                        wrongCount += pin->error().code == ErrorCode::Busy ||
                                              pin->error().code == ErrorCode::ResourceExhausted
                                          ? 0
                                          : 1;
                    }
                }
                wrongCount += a && a->as<Model>().index != first ? 1 : 0;
            }
        };
        std::vector<std::thread> threads;
        for (std::uint32_t seed = 1; seed <= 4; ++seed) {
            threads.emplace_back(work, seed);
        }
        for (std::uint64_t i = 0; i < 2000; ++i) {
            ledger.setBudget(80 + i % 21);
            cache.evict(ledger.snapshot().overBytes());
        }
        ledger.setBudget(100);
        for (std::thread& thread : threads) {
            thread.join();
        }
        EXPECT_EQ(ledger.snapshot().persistentBytes, cache.stats().residentBytes);
    }

    EXPECT_EQ(wrongCount, 0U);
    EXPECT_GT(servedCount, 1000U);
    EXPECT_EQ(ledger.snapshot().persistentBytes, 0U);
    for (const auto& count : live) {
        EXPECT_EQ(count, 0);
    }
}

}  // namespace
}  // namespace bifocal::schedule
