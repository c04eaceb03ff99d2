// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <map>
#include <string>
#include <string_view>
#include <vector>

namespace bifocal::cli {

/// Words as they are compared: ASCII letters lower-cased, letters and digits kept, apostrophes
/// dropped, everything else a space. Threads: value.
std::vector<std::string> comparedWords(std::string_view text);

/// The least number of words to insert, drop or change to make one text of the other. Threads:
/// value.
std::size_t wordErrors(const std::vector<std::string>& expected,
                       const std::vector<std::string>& actual);

/// Lines "name: text"; others, and those that begin with ';', are passed by. Threads: value.
std::map<std::string, std::string> readTexts(std::string_view lines);

}  // namespace bifocal::cli
