// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/imaging/detail/input_file.h"

namespace bifocal::imaging::detail {

/// The EXIF orientation that turns the first video track of an MP4 or QuickTime file upright, from
/// the matrix of its track header (ISO/IEC 14496-12, 8.3.2); 1 for any other file, for a broken one
/// and for a matrix that is no quarter turn or mirror. Leaves the file's position anywhere.
int mp4Orientation(const InputFile& file);

}  // namespace bifocal::imaging::detail
