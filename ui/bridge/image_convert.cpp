// SPDX-License-Identifier: Apache-2.0
#include "ui/bridge/image_convert.h"

#include <cstring>

namespace bifocal::ui {

QImage toQImage(const ImageBuffer& image) {
    if (image.isEmpty()) {
        return {};
    }
    const ImageView view = image.view();
    const QImage borrowed(view.pixels,
                          view.width,
                          view.height,
                          static_cast<qsizetype>(view.strideBytes),
                          QImage::Format_RGBA8888);
    return borrowed.convertToFormat(QImage::Format_ARGB32_Premultiplied);
}

ImageBuffer toImageBuffer(const QImage& image) {
    if (image.isNull()) {
        return {};
    }
    const QImage rgba = image.convertToFormat(QImage::Format_RGBA8888);
    ImageBuffer buffer;
    buffer.width = rgba.width();
    buffer.height = rgba.height();
    const std::size_t rowBytes = static_cast<std::size_t>(rgba.width()) * 4;
    buffer.rgba.resize(rowBytes * static_cast<std::size_t>(rgba.height()));
    for (int y = 0; y < rgba.height(); ++y) {
        std::memcpy(buffer.rgba.data() + static_cast<std::size_t>(y) * rowBytes,
                    rgba.constScanLine(y),
                    rowBytes);
    }
    return buffer;
}

}  // namespace bifocal::ui
