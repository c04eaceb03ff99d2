// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/base/result.h"

#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace bifocal::models {

/// What is known in words of one class. Threads: value.
struct ClassWords {
    std::string name;
    std::vector<std::string> synonyms;  ///< at least one
    std::string description;
};

/// The class names (a JSON list of 1,000 strings) joined with their synonyms and descriptions (a
/// JSON object by class number); a class that the object lacks has its name for both.
/// Corruption, naming the class. Threads: value.
Result<std::vector<ClassWords>> readClassWords(std::string_view names, std::string_view details);

/// Class by class: "a " + name, "a " + each synonym, description.
std::vector<std::string> classSentences(std::span<const ClassWords> classes);

/// Where the classes lie in the text tower's space.
struct ClassTable {
    std::vector<float> classes;  ///< C [n, width], unit rows: T − mean
    std::vector<float> mean;     ///< [width], mean of T
};

/// T of a class = unit(e(name) + unit(mean of e(synonyms)) + e(description)); `embedded` holds the
/// unit rows of classSentences(). Sums in FP64. Internal when a row vanishes. Threads: value.
Result<ClassTable> makeClassTable(std::span<const ClassWords> classes,
                                  std::span<const float> embedded,
                                  std::size_t width);

}  // namespace bifocal::models
