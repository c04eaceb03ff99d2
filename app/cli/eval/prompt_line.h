// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>

namespace bifocal::cli {

/// The prompt that a description file gives: its first line, or with a `language` ("de", "pt_BR")
/// what follows "<language>.utf8=" in the first line that begins so; trimmed of ASCII white space
/// and a byte order mark. Empty when there is none. Threads: value.
std::string promptLine(std::string_view description, std::string_view language);

}  // namespace bifocal::cli
