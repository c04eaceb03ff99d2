// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

namespace bifocal::kernels {

/// The instruction sets our CPU kernels are written for; a higher one includes the lower ones.
enum class Isa : std::uint8_t {
    Portable = 1,  ///< plain C++ for the baseline, x86-64-v2
    Avx2,          ///< AVX2, FMA, F16C
    Avx512,        ///< Avx2 and AVX-512 F, BW, VL, DQ
};

/// "portable", "avx2", "avx512".
const char* toString(Isa isa);

/// The highest one of this machine. Threads: safe.
Isa bestIsa();

/// What a value of BIFOCAL_KERNEL_ISA asks for on a machine whose highest is `best`: the named one,
/// or `best` when that is lower, or `best` when `value` is null or names nothing.
Isa isaFor(const char* value, Isa best);

/// The one the public kernels use: isaFor(BIFOCAL_KERNEL_ISA, bestIsa()), read once per process.
/// A test that needs a particular one names it to the …On functions instead. Threads: safe.
Isa activeIsa();

}  // namespace bifocal::kernels
