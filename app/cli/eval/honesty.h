// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "app/cli/eval/candidate_set.h"
#include "core/base/result.h"
#include "core/inference/model_pack.h"

#include <cstddef>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace bifocal::cli {

/// How far answers that should be trusted stand from answers that should not.
struct Separation {
    double auc = 0;         ///< chance that a random trusted answer is the stronger one; ties: half
    double saidNone = 0;    ///< share of the wrong answers that were called "nothing matches"
    std::size_t count = 0;  ///< of wrong answers
};

/// What the confidence of answers is worth. Threads: value.
struct HonestyOutcome {
    std::size_t count = 0;   ///< prompts that the pack reads
    double answered = 0;     ///< share of them that were not called "nothing matches"
    Separation leaveOneOut;  ///< the same prompts, their hits taken out of the library
    Separation absent;       ///< sentences about nothing visible
    Separation gibberish;    ///< random letters
};

/// The area under the ROC curve of `trusted` over `wrong`, by ranks; 0 when one is empty.
double areaUnderCurve(std::span<const double> trusted, std::span<const double> wrong);

/// A hundred English sentences about nothing that a picture could show.
std::span<const std::string_view> absentSentences();

/// `count` prompts of one to three words of random letters, the same each time.
std::vector<std::string> gibberishPrompts(std::size_t count);

/// Asks every prompt of the candidates: as it is, and without its hits (every candidate with that
/// prompt); and the sentences and random letters. Each answer's strength is what its label comes
/// from, of the vectors alone. The errors of the pack and the index. Threads: lane(the encoder's).
Result<HonestyOutcome> evaluateHonesty(const ModelPack& pack,
                                       TextEncoder& encoder,
                                       const CandidateSet& candidates,
                                       std::span<const EvalPicture> queries);

}  // namespace bifocal::cli
