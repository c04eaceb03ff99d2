// SPDX-License-Identifier: Apache-2.0
#include "kernels/internal/isa.h"

#include <algorithm>
#include <cstdlib>
#include <string_view>

#include <cpuid.h>

namespace bifocal::kernels {
namespace {

/// By hand, because not every compiler knows this one by name.
bool hasF16c() {
    unsigned a = 0;
    unsigned b = 0;
    unsigned c = 0;
    unsigned d = 0;
    return __get_cpuid(1, &a, &b, &c, &d) != 0 && (c & bit_F16C) != 0;
}

Isa detectIsa() {
    __builtin_cpu_init();
    const bool hasAvx2 =
        __builtin_cpu_supports("avx2") != 0 && __builtin_cpu_supports("fma") != 0 && hasF16c();
    const bool hasAvx512 =
        __builtin_cpu_supports("avx512f") != 0 && __builtin_cpu_supports("avx512bw") != 0 &&
        __builtin_cpu_supports("avx512vl") != 0 && __builtin_cpu_supports("avx512dq") != 0;
    if (!hasAvx2) {
        return Isa::Portable;
    }
    return hasAvx512 ? Isa::Avx512 : Isa::Avx2;
}

}  // namespace

const char* toString(Isa isa) {
    switch (isa) {
        case Isa::Portable: return "portable";
        case Isa::Avx2: return "avx2";
        case Isa::Avx512: return "avx512";
    }
    return "unknown";
}

Isa bestIsa() {
    static const Isa best = detectIsa();
    return best;
}

Isa isaFor(const char* value, Isa best) {
    if (value == nullptr) {
        return best;
    }
    for (const Isa isa : {Isa::Portable, Isa::Avx2, Isa::Avx512}) {
        if (std::string_view(value) == toString(isa)) {
            return std::min(isa, best);
        }
    }
    return best;
}

Isa activeIsa() {
    // The environment is read once, before any thread of ours could change it.
    static const Isa active =
        isaFor(std::getenv("BIFOCAL_KERNEL_ISA"), bestIsa());  // NOLINT(concurrency-mt-unsafe)
    return active;
}

}  // namespace bifocal::kernels
