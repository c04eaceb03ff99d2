// SPDX-License-Identifier: Apache-2.0
#include "core/inference/torch/torch_packs.h"

#include "core/inference/label_mixture.h"
#include "core/inference/manifest.h"
#include "core/inference/torch/starter_pack.h"
#include "core/inference/torch/whisper_model.h"
#include "core/inference/whisper.h"

#include <c10/core/CPUAllocator.h>
#include <c10/core/impl/alloc_cpu.h>

#include <algorithm>
#include <atomic>
#include <cstdlib>
#include <mutex>

#include <malloc.h>

namespace bifocal::torch_backend {
namespace {

std::atomic<std::int64_t> heldBytes{0};
std::atomic<std::int64_t> mostHeldBytes{0};

void count(std::int64_t bytes) {
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

void startCounting() {
    static CountingAllocator allocator;
    static std::once_flag once;
    std::call_once(once, [] { c10::SetCPUAllocator(&allocator); });
}

Error unknown(const std::filesystem::path& folder,
              const PackManifest& manifest,
              const std::string& purpose) {
    return {ErrorCode::Unsupported,
            folder.string() + ": architecture '" + manifest.architecture +
                "' is none that this build can " + purpose};
}

}  // namespace

std::uint64_t allocatedBytes() {
    return static_cast<std::uint64_t>(std::max<std::int64_t>(0, heldBytes.load()));
}

std::uint64_t peakAllocatedBytes() {
    return static_cast<std::uint64_t>(mostHeldBytes.load());
}

bool environmentIsReady() {
    constexpr const char* kVariable = "OMP_WAIT_POLICY";
    if (std::getenv(kVariable) != nullptr) {  // NOLINT(concurrency-mt-unsafe): see the header
        return true;
    }
    ::setenv(kVariable, "passive", 1);  // NOLINT(concurrency-mt-unsafe): see the header
    return false;
}

bool computesInBf16() {
    __builtin_cpu_init();
    return __builtin_cpu_supports("avx512bf16") != 0;
}

Result<std::shared_ptr<const ModelPack>> loadPack(const std::filesystem::path& folder,
                                                  PackOptions options) {
    BIFOCAL_TRY(const PackManifest manifest, readManifest(folder));
    startCounting();
    if (manifest.architecture == kLabelMixture) {
        return loadStarterPack(folder, manifest, options);
    }
    return unknown(folder, manifest, "search with");
}

Result<std::shared_ptr<const SpeechModel>> loadSpeech(const std::filesystem::path& folder,
                                                      PackOptions options) {
    BIFOCAL_TRY(const PackManifest manifest, readManifest(folder));
    startCounting();
    if (manifest.architecture == kWhisper) {
        return loadWhisper(folder, manifest, options);
    }
    return unknown(folder, manifest, "recognise speech with");
}

}  // namespace bifocal::torch_backend
