// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/base/result.h"

#include <string>
#include <vector>

namespace bifocal::cli {

/// Does what the words after the program's name ask for: prints the answer, or the error as
/// report() does, and returns the exit status. Requires: a process set up as main() does it, for
/// the commands that use pictures or models. Threads: compatible.
int runProgram(const std::vector<std::string>& words);

/// Prints an error, as JSON to standard output or as a sentence to standard error, and returns its
/// exit status.
int report(const Error& error, bool asJson);

}  // namespace bifocal::cli
