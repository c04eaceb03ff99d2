// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/imaging/detail/input_file.h"

#include <cstdint>
#include <memory>
#include <span>

#include <vips/vips.h>

namespace bifocal::imaging::detail {

struct ObjectRelease {
    void operator()(void* object) const { g_object_unref(object); }
};

/// One reference to a libvips object.
template <typename T>
using Owned = std::unique_ptr<T, ObjectRelease>;

/// Reads through `file`, which must outlive it; null when libvips has no memory left.
Owned<VipsSource> sourceOf(const InputFile& file);

/// Reads `bytes`, which must outlive it.
Owned<VipsSource> sourceOf(std::span<const std::uint8_t> bytes);

}  // namespace bifocal::imaging::detail
