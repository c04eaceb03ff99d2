// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/base/image_buffer.h"
#include "core/base/result.h"

#include <string>
#include <string_view>
#include <vector>

namespace bifocal::cli {

/// A part of a picture, changed, that should find the whole. Threads: value.
struct LooksQuery {
    std::string picture;  ///< relative to the collection's root
    double crop = 1;      ///< side of the part, as a share of the padded square's
    double left = 0;      ///< its corner, as shares of the same
    double top = 0;
    bool isFlipped = false;
    double brightness = 1;
};

/// The lines of a looks.csv: "picture,crop,left,top,flip,brightness" with that line as the head. A
/// name may hold commas when it stands in double quotes. InvalidArgument, naming the line.
/// Threads: value.
Result<std::vector<LooksQuery>> parseLooksQueries(std::string_view text);

/// Alpha over white, padded to a square with white, cut out, mirrored, multiplied: opaque pixels.
/// The tower's own resize does the rest. InvalidArgument for an empty picture or a part that lies
/// outside of it. Threads: value.
Result<ImageBuffer> looksPicture(ImageView image, const LooksQuery& query);

/// Whether a picture is the one that `query` was made from, or its mirrored twin ("a_mirror.png" of
/// "a.png"). Threads: value.
bool isLooksHit(const LooksQuery& query, std::string_view path);

}  // namespace bifocal::cli
