// SPDX-License-Identifier: Apache-2.0
#include "core/imaging/detail/vips_source.h"

namespace bifocal::imaging::detail {
namespace {

// libvips' own file source maps files into memory; these two calls do not.
gint64 readSource(VipsSourceCustom* /*source*/, void* buffer, gint64 length, gpointer data) {
    const auto* file = static_cast<const InputFile*>(data);
    return file->read({static_cast<std::uint8_t*>(buffer), static_cast<std::size_t>(length)});
}

gint64 seekSource(VipsSourceCustom* /*source*/, gint64 offset, int whence, gpointer data) {
    return static_cast<const InputFile*>(data)->seek(offset, whence);
}

}  // namespace

Owned<VipsSource> sourceOf(const InputFile& file) {
    VipsSourceCustom* source = vips_source_custom_new();
    if (source == nullptr) {
        return nullptr;
    }
    // The callbacks only read through it.
    auto* data = const_cast<InputFile*>(&file);
    g_signal_connect(source, "read", G_CALLBACK(readSource), data);
    g_signal_connect(source, "seek", G_CALLBACK(seekSource), data);
    return Owned<VipsSource>(VIPS_SOURCE(source));
}

Owned<VipsSource> sourceOf(std::span<const std::uint8_t> bytes) {
    return Owned<VipsSource>(vips_source_new_from_memory(bytes.data(), bytes.size()));
}

}  // namespace bifocal::imaging::detail
