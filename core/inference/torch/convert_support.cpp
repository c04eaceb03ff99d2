// SPDX-License-Identifier: Apache-2.0
#include "core/inference/torch/convert_support.h"

#include "core/inference/label_mixture.h"
#include "core/inference/torch/run_guard.h"
#include "core/inference/torch/text_tower.h"

#include <ATen/ops/from_blob.h>
#include <ATen/ops/linalg_eigh.h>
#include <ATen/ops/mm.h>

#include <algorithm>
#include <atomic>
#include <map>
#include <mutex>
#include <optional>
#include <thread>
#include <utility>

namespace bifocal::torch_backend {
namespace {

constexpr std::size_t kBatch = 32;

/// Sentences of one length, by their place in the caller's list.
struct Batch {
    std::vector<std::size_t> sentences;
    std::vector<std::int32_t> ids;
};

/// Longest first, so that the workers end together.
std::vector<Batch> makeBatches(const WordPieceTokenizer& tokenizer,
                               std::span<const std::string> sentences) {
    std::map<std::size_t, std::vector<Batch>, std::greater<>> byLength;
    for (std::size_t i = 0; i < sentences.size(); ++i) {
        const std::vector<std::int32_t> ids = tokenizer.encode(sentences[i], kMaxTextTokens).ids;
        std::vector<Batch>& batches = byLength[ids.size()];
        if (batches.empty() || batches.back().sentences.size() == kBatch) {
            batches.emplace_back();
        }
        batches.back().sentences.push_back(i);
        batches.back().ids.insert(batches.back().ids.end(), ids.begin(), ids.end());
    }
    std::vector<Batch> all;
    for (auto& [length, batches] : byLength) {
        std::move(batches.begin(), batches.end(), std::back_inserter(all));
    }
    return all;
}

/// The workers' common ground. Threads: safe.
class SentenceRun {
public:
    SentenceRun(const TextTower& tower,
                std::vector<Batch> batches,
                std::size_t sentenceCount,
                const SentenceProgress& progress)
        : tower_(tower),
          batches_(std::move(batches)),
          progress_(progress),
          rows_(sentenceCount * kTextWidth) {}

    void work(const std::stop_token& stop) {
        const Result<void> result = guarded("embed sentences", [&]() -> Result<void> {
            const RunGuard guard(1);
            for (std::size_t i = next_++; i < batches_.size(); i = next_++) {
                if (stop.stop_requested()) {
                    return Error{ErrorCode::Cancelled, "embed sentences"};
                }
                run(batches_[i]);
            }
            return {};
        });
        if (!result) {
            const std::lock_guard lock(mutex_);
            failure_ = result.error();
            next_ = batches_.size();
        }
    }

    Result<std::vector<float>> take() {
        const std::lock_guard lock(mutex_);
        if (failure_) {
            return *failure_;
        }
        return std::move(rows_);
    }

private:
    void run(const Batch& batch) {
        const at::Tensor embedded = tower_.embed(batch.ids, batch.sentences.size());
        const float* from = embedded.const_data_ptr<float>();
        for (const std::size_t sentence : batch.sentences) {
            std::copy_n(from,
                        kTextWidth,
                        rows_.begin() + static_cast<std::ptrdiff_t>(sentence * kTextWidth));
            from += kTextWidth;
        }
        const std::lock_guard lock(mutex_);
        done_ += batch.sentences.size();
        if (progress_) {
            progress_(done_, rows_.size() / kTextWidth);
        }
    }

    const TextTower& tower_;
    const std::vector<Batch> batches_;
    const SentenceProgress& progress_;
    std::vector<float> rows_;  // every batch writes rows of its own
    std::atomic<std::size_t> next_{0};
    std::mutex mutex_;
    std::size_t done_ = 0;
    std::optional<Error> failure_;
};

}  // namespace

Result<std::vector<float>> embedSentences(const Safetensors& textTower,
                                          const WordPieceTokenizer& tokenizer,
                                          std::span<const std::string> sentences,
                                          std::size_t workerCount,
                                          const SentenceProgress& progress,
                                          std::stop_token stop) {
    BIFOCAL_ASSERT(workerCount > 0);
    BIFOCAL_CHECK(checkTensors(kTextTensors, textTower, textTowerTensors()));
    return guarded("embed sentences", [&]() -> Result<std::vector<float>> {
        std::optional<TextTower> tower;
        {
            const c10::InferenceMode inference;
            const ThreadCountScope threads(1);
            tower.emplace(textTower);
        }
        SentenceRun run(*tower, makeBatches(tokenizer, sentences), sentences.size(), progress);
        {
            std::vector<std::jthread> workers;
            for (std::size_t i = 0; i < workerCount; ++i) {
                workers.emplace_back([&] { run.work(stop); });
            }
        }
        return run.take();
    });
}

Result<std::vector<float>> rightSingularVectors(std::span<const float> matrix,
                                                std::size_t rows,
                                                std::size_t columns,
                                                std::size_t count) {
    BIFOCAL_ASSERT(matrix.size() == rows * columns && count <= columns && rows > 0);
    return guarded("singular vectors", [&]() -> Result<std::vector<float>> {
        const c10::InferenceMode inference;
        const auto width = static_cast<std::int64_t>(columns);
        // from_blob wants a mutable pointer; the copy to FP64 only reads it.
        at::Tensor m = at::from_blob(const_cast<float*>(matrix.data()),
                                     {static_cast<std::int64_t>(rows), width})
                           .to(at::kDouble);
        m.sub_(m.mean(0));
        // Eigenvectors of the Gram matrix, largest eigenvalue last.
        const at::Tensor vectors = std::get<1>(at::linalg_eigh(at::mm(m.t(), m)));
        std::vector<float> out(columns * count);
        for (std::size_t c = 0; c < count; ++c) {
            const at::Tensor column =
                vectors.select(1, width - 1 - static_cast<std::int64_t>(c)).contiguous();
            const double* v = column.const_data_ptr<double>();
            const double largest = *std::max_element(
                v, v + columns, [](double a, double b) { return std::abs(a) < std::abs(b); });
            for (std::size_t r = 0; r < columns; ++r) {
                out[r * count + c] = static_cast<float>(largest < 0 ? -v[r] : v[r]);
            }
        }
        return out;
    });
}

}  // namespace bifocal::torch_backend
