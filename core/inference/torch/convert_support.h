// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/base/result.h"
#include "core/inference/safetensors.h"
#include "core/prompt/word_piece.h"

#include <cstddef>
#include <functional>
#include <span>
#include <stop_token>
#include <string>
#include <vector>

namespace bifocal::torch_backend {

// What the converter of the starter pack needs LibTorch for, without LibTorch in the signature.

/// How many of the sentences are embedded; called from one thread at a time.
using SentenceProgress = std::function<void(std::size_t done, std::size_t total)>;

/// Sentences → [n, 384] of unit length, by a text tower of textTowerTensors(). Sentences of one
/// length run together, so no padding takes part; `workerCount` threads of their own share the
/// work. The result does not depend on the number of workers beyond rounding.
/// Corruption (tensors), Cancelled between batches.
Result<std::vector<float>> embedSentences(const Safetensors& textTower,
                                          const WordPieceTokenizer& tokenizer,
                                          std::span<const std::string> sentences,
                                          std::size_t workerCount,
                                          const SentenceProgress& progress,
                                          std::stop_token stop);

/// The first `count` right singular vectors, in FP64, of a [rows, columns] matrix minus the mean of
/// its rows: [columns, count], each column's largest entry positive.
Result<std::vector<float>> rightSingularVectors(std::span<const float> matrix,
                                                std::size_t rows,
                                                std::size_t columns,
                                                std::size_t count);

}  // namespace bifocal::torch_backend
