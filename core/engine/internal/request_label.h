// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/prompt/prompt.h"

#include <filesystem>
#include <string>

namespace bifocal {

/// What the profiler and its exports call a request, in plain words: `“a red flower”`, `picture`,
/// `picture + “yellow”`, `index stamps`. A long text is cut after a word and ends in an ellipsis;
/// one without spaces is cut between two characters. Threads: value.
std::string labelOf(const Prompt& prompt);
std::string labelOfIndexing(const std::filesystem::path& root);

}  // namespace bifocal
