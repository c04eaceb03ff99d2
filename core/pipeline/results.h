// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/base/ids.h"
#include "core/library/library.h"
#include "core/prompt/prompt.h"

#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

namespace bifocal {

/// How much a result stands out of what this query scores on the whole library.
enum class Confidence : std::uint8_t { Strong = 1, Fair, Weak };
/// The same for the whole answer; None: the best of it is no better than chance.
enum class Answer : std::uint8_t { Strong = 1, Fair, Weak, None };
const char* toString(Confidence confidence);
const char* toString(Answer answer);

/// Contributions to the score, per lens; they add up to it (a row's cosine, weighted).
struct WhyMatched {
    float image = 0;  ///< looks blocks
    float text = 0;   ///< words and colours blocks; a joint block is split by the balance
};

/// What file and folder names say for a result. Threads: value.
struct NameEvidence {
    float share = 0;         ///< of its place in the fused ranking, 0…1; 0: names say nothing
    bool isOwnName = false;  ///< the file's own name holds all words, else its folders are needed
};

/// One picture of an answer. Threads: value.
struct ResultRow {
    FileRecord file;
    float score = 0;  ///< of its vector; names are not in it
    Confidence confidence = Confidence::Weak;
    WhyMatched why;
    NameEvidence name;
    bool isThisPicture = false;  ///< the prompt's picture, as stored or re-encoded
};

/// Time of one stage of one request, as measured.
struct StageTime {
    std::string stage;
    double ms = 0;
};

/// Something the person should be told about an answer.
enum class Notice : std::uint8_t {
    TextTruncated = 1,  ///< the text was longer than the pack reads
    StillIndexing,      ///< pictures may be missing
    PartialLens,        ///< only the faster of the two branches has been used so far
    TextUnread,         ///< the pack cannot read the text's script; the picture alone was used
    TextPartlyUnread,   ///< some words are unknown to the pack; the others were used
};

/// An answer, partial or final. Threads: value; shared as shared_ptr<const ResultSet>.
struct ResultSet {
    RequestId request;
    PromptMode mode = PromptMode::TextOnly;
    std::string spoken;  ///< what was understood of a spoken prompt; empty without one
    Answer answer = Answer::None;
    std::vector<ResultRow> rows;    ///< in the prompt's order; its own picture before all
    std::uint64_t hiddenCount = 0;  ///< of the best, left out because the prompt is stricter
    std::uint64_t searchedCount = 0;
    std::vector<Notice> notices;
    std::vector<StageTime> stages;
    double totalMs = 0;
    std::string pack;
    std::string device;
};

}  // namespace bifocal
