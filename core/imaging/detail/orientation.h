// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/base/image_buffer.h"

namespace bifocal::imaging::detail {

/// The picture turned and mirrored upright for an EXIF orientation 1…8; others leave it as it is.
ImageBuffer upright(ImageBuffer image, int orientation);

/// Whether the orientation exchanges width and height.
bool exchangesSides(int orientation);

}  // namespace bifocal::imaging::detail
