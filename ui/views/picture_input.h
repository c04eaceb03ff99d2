// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "ui/models/items.h"

#include <cstdint>
#include <optional>

class QMimeData;

namespace bifocal::ui {

/// A picture or folder that was dropped or pasted. Threads: gui.
struct PictureInput {
    enum class Kind : std::uint8_t { Picture = 1, Folder };

    Kind kind = Kind::Picture;
    PictureSource picture;         ///< with Picture
    std::filesystem::path folder;  ///< with Folder
    QString name;
};

/// Whether `data` can become a prompt or a collection; cheap, for dragging.
bool hasPictureInput(const QMimeData& data);

/// The first local file or folder; else encoded picture data, left to the engine to decode; else
/// pixels. None when there is neither.
std::optional<PictureInput> pictureInputOf(const QMimeData& data);

}  // namespace bifocal::ui
