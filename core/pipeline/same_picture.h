// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/base/image_buffer.h"

namespace bifocal {

/// How far two pictures are apart, whatever their sizes: both are averaged over white into the same
/// grid of at most 32 × 32 cells (no more than the smaller picture has pixels), and the root mean
/// square over cells and channels is taken, 0 … 255. Infinite when one is empty. Threads: value.
double pictureDistance(ImageView a, ImageView b);

/// Pictures closer than this are one picture that was stored in another way.
///
/// A perceptual hash of 64 bits alone cannot tell: it sees no colour and little detail, and the
/// demo collection has three pictures with one hash that differ by a letter. Neither can the
/// encoder: the cosine of their looks is up to 0.951 while a re-encoded picture and its original
/// have as little as 0.947 (JPEG, quality 80; 0.66 at half size). Of this distance the demo
/// collection says, for pictures with equal hashes: another picture 9.6 and more; the same one as
/// JPEG of quality 80: median 1.3, 99 % below 8.2; at half size: median 2.5, 90 % below 6.7.
inline constexpr double kSamePictureDistance = 8;

}  // namespace bifocal
