// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "ui/models/items.h"

namespace bifocal::ui::test {

/// A prompt of these words.
inline PromptDraft draftOf(const char* text) {
    PromptDraft draft;
    draft.text = QString::fromUtf8(text);
    return draft;
}

}  // namespace bifocal::ui::test
