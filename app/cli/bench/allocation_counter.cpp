// SPDX-License-Identifier: Apache-2.0
#include "app/cli/bench/allocation_counter.h"

#include "core/base/assert.h"

#include <atomic>
#include <cstdlib>
#include <new>

namespace {

std::atomic<bool> isCounting{false};
std::atomic<std::uint64_t> allocationCount{0};

#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
constexpr bool kCanCount = false;
#else
constexpr bool kCanCount = true;

void* allocate(std::size_t size) noexcept {
    if (isCounting.load(std::memory_order_relaxed)) {
        allocationCount.fetch_add(1, std::memory_order_relaxed);
    }
    return std::malloc(size != 0 ? size : 1);
}
#endif

}  // namespace

#if !defined(__SANITIZE_ADDRESS__) && !defined(__SANITIZE_THREAD__)
// The forms for arrays call these. Not inlined: the compiler would see free() paired with a new
// that it does not know to be malloc().
[[gnu::noinline]] void* operator new(std::size_t size) {
    if (void* memory = allocate(size)) {
        return memory;
    }
    throw std::bad_alloc();
}

[[gnu::noinline]] void* operator new(std::size_t size, const std::nothrow_t& /*tag*/) noexcept {
    return allocate(size);
}

[[gnu::noinline]] void operator delete(void* memory) noexcept {
    std::free(memory);
}

[[gnu::noinline]] void operator delete(void* memory, std::size_t /*size*/) noexcept {
    std::free(memory);
}
#endif

namespace bifocal::cli {

AllocationCounter::AllocationCounter() {
    BIFOCAL_ASSERT(!isCounting.load());
    allocationCount.store(0);
    isCounting.store(true);
}

AllocationCounter::~AllocationCounter() {
    isCounting.store(false);
}

std::optional<std::uint64_t> AllocationCounter::count() const {
    return kCanCount ? std::optional(allocationCount.load()) : std::nullopt;
}

}  // namespace bifocal::cli
