// SPDX-License-Identifier: Apache-2.0
#include "core/library/internal/name_index.h"

#include "core/library/internal/name_words.h"
#include "core/library/internal/queries.h"
#include "core/library/internal/sqlite.h"

#include <algorithm>
#include <bit>
#include <cstdint>
#include <filesystem>
#include <span>
#include <string>
#include <unordered_set>

namespace bifocal::library {
namespace {

/// The strength of a name that needs its folders: less than that of any that does not.
constexpr float kFolderStrength = 0.25F;

std::size_t countWords(std::string_view words) {
    return static_cast<std::size_t>(std::ranges::count(words, ' ')) + 1;
}

std::filesystem::path pathAt(const Statement& row, int column) {
    const std::span<const std::uint8_t> bytes = row.blob(column);
    return std::string(bytes.begin(), bytes.end());
}

/// Whether more than `atMost` names match; stops counting there.
Result<bool> areMoreThan(Database& database, std::string_view expression, std::int64_t atMost) {
    BIFOCAL_TRY(Statement count, database.prepare(queries::kCountNamed));
    count.bind(1, expression).bind(2, atMost + 1);
    BIFOCAL_TRY([[maybe_unused]] const bool hasRow, count.step());
    return count.integer(0) > atMost;
}

Result<std::unordered_set<std::int64_t>> filesNamedThemselves(Database& database,
                                                              std::string_view expression) {
    BIFOCAL_TRY(Statement find, database.prepare(queries::kFilesNamedThemselves));
    const std::string inOwnName = "name : (" + std::string(expression) + ")";
    find.bind(1, std::string_view(inOwnName));
    std::unordered_set<std::int64_t> files;
    while (true) {
        BIFOCAL_TRY(const bool hasRow, find.step());
        if (!hasRow) {
            return files;
        }
        files.insert(find.integer(0));
    }
}

/// `askedCount`: words that were asked for.
Result<std::vector<NameMatch>> matchesOf(Database& database,
                                         std::string_view expression,
                                         std::size_t askedCount) {
    BIFOCAL_TRY(const auto own, filesNamedThemselves(database, expression));
    BIFOCAL_TRY(Statement find, database.prepare(queries::kFilesNamed));
    find.bind(1, expression);
    std::vector<NameMatch> matches;
    while (true) {
        BIFOCAL_TRY(const bool hasRow, find.step());
        if (!hasRow) {
            return matches;
        }
        NameMatch match;
        match.file.value = std::bit_cast<std::uint64_t>(find.integer(0));
        const std::span<const std::uint8_t> content = find.blob(1);
        std::copy_n(content.begin(),
                    std::min(content.size(), match.content.bytes.size()),
                    match.content.bytes.begin());
        match.isOwnName = own.contains(find.integer(0));
        const float share =
            static_cast<float>(askedCount) / static_cast<float>(countWords(find.text(2)));
        match.strength = match.isOwnName ? (1 + std::min(1.0F, share)) / 2 : kFolderStrength;
        matches.push_back(match);
    }
}

}  // namespace

Result<void> putName(Database& database, const FileRecord& file) {
    std::filesystem::path root;
    {
        BIFOCAL_TRY(Statement find, database.prepare(queries::kRootOf));
        BIFOCAL_TRY(const bool isThere,
                    find.bind(1, std::bit_cast<std::int64_t>(file.collection.value)).step());
        root = isThere ? pathAt(find, 0) : file.path.parent_path();
    }
    const NamedPath named = namedPath(file.path, root);
    BIFOCAL_TRY(Statement put, database.prepare(queries::kPutName));
    put.bind(1, std::bit_cast<std::int64_t>(file.collection.value))
        .bind(2, file.path)
        .bind(3, std::string_view(named.name))
        .bind(4, std::string_view(named.folders));
    return put.run();
}

Result<void> putAllNames(Database& database) {
    BIFOCAL_TRY(Statement files, database.prepare(queries::kAllPaths));
    while (true) {
        BIFOCAL_TRY(const bool hasRow, files.step());
        if (!hasRow) {
            return {};
        }
        const NamedPath named = namedPath(pathAt(files, 1), pathAt(files, 2));
        BIFOCAL_TRY(Statement put, database.prepare(queries::kPutNameOf));
        put.bind(1, files.integer(0))
            .bind(2, std::string_view(named.name))
            .bind(3, std::string_view(named.folders));
        BIFOCAL_CHECK(put.run());
    }
}

Result<std::vector<NameMatch>> filesNamed(Database& database,
                                          std::string_view text,
                                          std::size_t atMost) {
    const std::vector<std::string> phrases = namePhrases(text);
    if (phrases.empty()) {
        return std::vector<NameMatch>{};
    }
    std::size_t askedCount = 0;
    for (const std::string& phrase : phrases) {
        askedCount += countWords(phrase);
    }
    const std::string expression = matchExpression(phrases);
    const auto limit = static_cast<std::int64_t>(std::min<std::size_t>(atMost, 1U << 30U));
    BIFOCAL_TRY(Transaction transaction, Transaction::beginReading(database));
    BIFOCAL_TRY(const bool saysNothing, areMoreThan(database, expression, limit));
    std::vector<NameMatch> matches;
    if (!saysNothing) {
        BIFOCAL_TRY(matches, matchesOf(database, expression, askedCount));
    }
    BIFOCAL_CHECK(transaction.commit());
    std::ranges::sort(matches, [](const NameMatch& a, const NameMatch& b) {
        return a.strength != b.strength ? a.strength > b.strength : a.file.value < b.file.value;
    });
    return matches;
}

}  // namespace bifocal::library
