// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/base/result.h"
#include "ui/models/items.h"

#include <cstdint>

namespace bifocal::ui {

/// What was being done when an error came.
enum class Doing : std::uint8_t {
    Searching = 1,
    ReadingPicture,  ///< the prompt's
    AddingFolder,
    Indexing,
    Browsing,
    LoadingPack,
    OpeningVectors,  ///< of the library
    Exporting,
    Listening,
};

/// The translated sentence and action for an error. The engine's own message becomes the detail,
/// never the text. Requires: code is not Cancelled, which is nothing to report. Threads: value.
MessageItem errorText(const Error& error, Doing doing);

/// Why one file could not become a picture, translated.
QString failureReason(ErrorCode code);

}  // namespace bifocal::ui
