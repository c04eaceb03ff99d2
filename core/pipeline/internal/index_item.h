// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/base/image_buffer.h"
#include "core/base/result.h"
#include "core/library/library.h"
#include "core/library/walk.h"
#include "core/pipeline/index_job.h"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

namespace bifocal {

/// A candidate on its way through a batch.
struct IndexJob::Item {
    enum class Kind : std::uint8_t { Pending = 1, Unchanged, Moved, Indexed, Failed, Dropped };

    explicit Item(Candidate candidate)
        : entry(std::move(candidate.entry)), known(candidate.known) {}

    /// The reason is kept beside the path and need not repeat it.
    void failWith(const Error& error) {
        kind = Kind::Failed;
        failure = error;
        const std::string path = entry.path.string() + ": ";
        if (failure.message.starts_with(path)) {
            failure.message.erase(0, path.size());
        }
        pixels = {};
    }

    /// A row with a number that is not finite would poison every search: it is never stored.
    void takeRow(std::span<const float> values) {
        if (std::all_of(values.begin(), values.end(), [](float v) { return std::isfinite(v); })) {
            row.assign(values.begin(), values.end());
            pixels = {};
        } else {
            failWith({ErrorCode::Internal, "the image tower gave numbers that are not finite"});
        }
    }

    WalkEntry entry;
    std::optional<KnownFile> known;
    Kind kind = Kind::Pending;
    FileRecord record;
    FileId movedFrom;    ///< with Moved: the record of the place that is empty now
    ImageBuffer pixels;  ///< empty when no encoding is needed
    std::vector<float> row;
    Error failure;
};

struct IndexJob::Batch {
    std::vector<Item> items;
};

}  // namespace bifocal
