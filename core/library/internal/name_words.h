// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

namespace bifocal::library {

/// The words of a file's or folder's name, in order: split at everything that is no letter or
/// digit, where a small letter meets a capital one (`redFlower`), and between letters and digits
/// (`frog12`). Each Chinese, Japanese or Korean character is a word of its own. A word that changes
/// between letters and digits more than once is a hash or a serial number: it stays whole, so that
/// its fragments are no words. Bytes that are not UTF-8 separate. Case is kept. Threads: value.
std::vector<std::string> nameWords(std::string_view name);

/// What a text asks of names: one phrase for each of its words, which is the words of that part of
/// the text (`RE16` is "RE 16"), in order, each once. Words that every sentence has ("a photo of
/// the …") ask for nothing. Threads: value.
std::vector<std::string> namePhrases(std::string_view text);

/// The words of a path for the name index, with blanks between them. Threads: value.
struct NamedPath {
    std::string name;     ///< of the file, without its extension
    std::string folders;  ///< below the collection's root
};
NamedPath namedPath(const std::filesystem::path& path, const std::filesystem::path& root);

/// `phrases` as an expression of SQLite's FTS5 that wants all of them; empty without phrases.
std::string matchExpression(const std::vector<std::string>& phrases);

}  // namespace bifocal::library
