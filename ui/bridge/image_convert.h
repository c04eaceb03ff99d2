// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/base/image_buffer.h"

#include <QImage>

namespace bifocal::ui {

/// A copy of the engine's pixels as Qt paints them fastest. Null for an empty picture.
/// Threads: safe.
QImage toQImage(const ImageBuffer& image);

/// The engine's form of a picture of Qt's, in device pixels. Empty for a null picture.
/// Threads: safe.
ImageBuffer toImageBuffer(const QImage& image);

}  // namespace bifocal::ui
