// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/base/result.h"
#include "core/pipeline/context.h"

#include <cstddef>
#include <filesystem>
#include <string>
#include <vector>

namespace bifocal {

/// Least cosine between a stored vector and the one its file gives when it is encoded alone. FP16
/// storage costs 1e-6, a batch in BF16 less than 1e-3.
inline constexpr double kLeastCosine = 0.999;

/// Structure of database and vectors, files without vectors, vectors without files; and for up to
/// `sampleCount` pictures (evenly spread; SIZE_MAX: all) that the stored vector is the one its file
/// gives alone and that the picture finds itself first. Problems in words; empty: clean.
/// Encodes on the image lane as Batch, and waits for it. Threads: safe, but not on a lane.
Result<std::vector<std::string>> checkLibrary(const PipelineContext& context,
                                              const std::filesystem::path& directory,
                                              std::size_t sampleCount);

/// Renames each vector file that VectorIndex::check() finds something wrong with to NAME.damaged,
/// in place of an older one; the next indexing makes the vectors anew. Returns the names they had.
/// Busy when another process writes the library, NotFound when there is none. Threads: safe.
Result<std::vector<std::filesystem::path>> setAsideDamagedVectors(
    const std::filesystem::path& directory);

}  // namespace bifocal
