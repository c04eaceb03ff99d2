// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "kernels/internal/isa.h"

#include <cstddef>
#include <cstring>
#include <new>
#include <span>
#include <vector>

namespace bifocal::kernels {

/// Numbers between two bands of a known pattern, 64-byte aligned as the kernels ask for.
/// Threads: compatible. Owns: the memory.
template <typename T>
class Guarded {
public:
    explicit Guarded(std::size_t count)
        : bytes_(count * sizeof(T)),
          memory_(static_cast<std::byte*>(
              ::operator new(bytes_ + 2 * kBandBytes, std::align_val_t(kBandBytes)))) {
        std::memset(memory_, kPattern, bytes_ + 2 * kBandBytes);
    }
    Guarded(const Guarded&) = delete;
    Guarded& operator=(const Guarded&) = delete;
    ~Guarded() { ::operator delete(memory_, std::align_val_t(kBandBytes)); }

    T* data() { return reinterpret_cast<T*>(memory_ + kBandBytes); }
    std::span<T> span() { return {data(), bytes_ / sizeof(T)}; }

    bool areBandsIntact() const {
        for (std::size_t i = 0; i < kBandBytes; ++i) {
            if (memory_[i] != std::byte{kPattern} ||
                memory_[kBandBytes + bytes_ + i] != std::byte{kPattern}) {
                return false;
            }
        }
        return true;
    }

private:
    static constexpr std::size_t kBandBytes = 256;
    static constexpr unsigned char kPattern = 0x7C;  // as an FP16 pair: numbers nobody computes

    std::size_t bytes_;
    std::byte* memory_;
};

/// The paths this machine has, lowest first.
inline std::vector<Isa> availableIsas() {
    std::vector<Isa> isas;
    for (const Isa isa : {Isa::Portable, Isa::Avx2, Isa::Avx512}) {
        if (isa <= bestIsa()) {
            isas.push_back(isa);
        }
    }
    return isas;
}

inline constexpr std::size_t kEdgeSizes[] = {
    0, 1, 15, 16, 17, 31, 32, 33, 127, 128, 129, 4095, 4096, 4097};

}  // namespace bifocal::kernels
