// SPDX-License-Identifier: Apache-2.0
#include "core/inference/torch/counted_memory.h"

#include "core/inference/torch/torch_packs.h"

#include <c10/core/CPUAllocator.h>
#include <c10/core/impl/alloc_cpu.h>

#include <algorithm>
#include <atomic>
#include <mutex>

#include <malloc.h>

namespace bifocal::torch_backend {
namespace {

std::atomic<std::int64_t> heldBytes{0};
std::atomic<std::int64_t> mostHeldBytes{0};
// Of the thread that takes or gives back: what another thread frees makes it look fuller than it
// is.
thread_local std::int64_t heldByThread = 0;
thread_local std::int64_t mostHeldByThread = 0;

void count(std::int64_t bytes) {
    heldByThread += bytes;
    mostHeldByThread = std::max(mostHeldByThread, heldByThread);
    const std::int64_t held = heldBytes.fetch_add(bytes, std::memory_order_relaxed) + bytes;
    std::int64_t most = mostHeldBytes.load(std::memory_order_relaxed);
    while (held > most &&
           !mostHeldBytes.compare_exchange_weak(most, held, std::memory_order_relaxed)) {
    }
}

void release(void* memory) {
    if (memory != nullptr) {
        count(-static_cast<std::int64_t>(malloc_usable_size(memory)));
        c10::free_cpu(memory);
    }
}

/// LibTorch's own CPU memory, counted. Threads: safe.
class CountingAllocator final : public c10::Allocator {
public:
    c10::DataPtr allocate(std::size_t size) override {
        void* memory = c10::alloc_cpu(size);
        if (memory != nullptr) {
            count(static_cast<std::int64_t>(malloc_usable_size(memory)));
        }
        return {memory, memory, &release, c10::Device(c10::DeviceType::CPU)};
    }
    c10::DeleterFnPtr raw_deleter() const override { return &release; }
    void copy_data(void* to, const void* from, std::size_t size) const override {
        default_copy_data(to, from, size);
    }
};

}  // namespace

void startCounting() {
    static CountingAllocator allocator;
    static std::once_flag once;
    std::call_once(once, [] { c10::SetCPUAllocator(&allocator); });
}

PeakMeter::PeakMeter(std::uint64_t& peak) : peak_(peak), begin_(heldByThread) {
    mostHeldByThread = heldByThread;
}

PeakMeter::~PeakMeter() {
    peak_ = std::max(peak_, static_cast<std::uint64_t>(mostHeldByThread - begin_));
}

std::uint64_t allocatedBytes() {
    return static_cast<std::uint64_t>(std::max<std::int64_t>(0, heldBytes.load()));
}

std::uint64_t peakAllocatedBytes() {
    return static_cast<std::uint64_t>(mostHeldBytes.load());
}

}  // namespace bifocal::torch_backend
