// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "app/cli/arguments.h"
#include "core/base/result.h"
#include "core/prompt/prompt.h"

#include <vector>

namespace bifocal::cli {

/// The prompt that --text, --speech, --image, --at, --region, --minus, --balance and -k describe.
/// InvalidArgument; readSpeech()'s errors. Threads: value.
Result<Prompt> promptFrom(const Arguments& arguments);

/// The options that promptFrom() reads, for a command's table.
std::vector<OptionSpec> withPromptOptions(std::vector<OptionSpec> own);

}  // namespace bifocal::cli
