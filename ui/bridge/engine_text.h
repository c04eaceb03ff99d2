// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/engine/engine.h"
#include "ui/models/items.h"

/// The engine's facts in the reader's language. Threads: value.
namespace bifocal::ui {

/// Why the models run where and how they do, in whole sentences.
QString deviceReasonText(const DeviceFacts& facts);

/// What the request list calls a prompt: its words in quotes, "picture", or both.
QString promptLabel(const PromptDraft& draft);
/// The same for the indexing of a folder.
QString indexingLabel(const QString& folder);

/// A stage of the engine's graphs; the engine's own name where there is no other.
QString stageText(const char* stage);

}  // namespace bifocal::ui
