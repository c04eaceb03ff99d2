// SPDX-License-Identifier: Apache-2.0
#include "core/base/half.h"
#include "kernels/internal/dot_paths.h"

#include <cmath>
#include <cstring>

namespace bifocal::kernels {
namespace {

constexpr std::size_t kLanes = 8;

float dotRow(const std::byte* row, const float* query, std::size_t dim) {
    float sums[kLanes] = {};  // as many chains as the additions' latency hides behind
    Half values[kLanes];
    std::size_t i = 0;
    for (; i + kLanes <= dim; i += kLanes) {
        std::memcpy(values, row + i * sizeof(Half), sizeof(values));
        for (std::size_t lane = 0; lane < kLanes; ++lane) {
            sums[lane] += toFloat(values[lane]) * query[i + lane];
        }
    }
    for (std::size_t lane = 0; i + lane < dim; ++lane) {
        std::memcpy(values, row + (i + lane) * sizeof(Half), sizeof(Half));
        sums[lane] += toFloat(values[0]) * query[i + lane];
    }
    return ((sums[0] + sums[4]) + (sums[2] + sums[6])) +
           ((sums[1] + sums[5]) + (sums[3] + sums[7]));
}

void dotRows(const DotBatch& batch) {
    for (std::size_t i = 0; i < batch.count; ++i) {
        batch.scores[i] =
            dotRow(batch.data + batch.rows[i] * batch.strideBytes, batch.query, batch.dim);
    }
}

void addMoments(const float* scores, std::size_t count, MomentChains& chains) {
    for (std::size_t i = 0; i < count; ++i) {
        if (std::isfinite(scores[i])) {
            const double score = scores[i];
            ++chains.finite;
            chains.sums[i % MomentChains::kCount] += score;
            chains.squares[i % MomentChains::kCount] += score * score;
        }
    }
}

std::size_t findAbove(const float* scores, std::size_t begin, std::size_t count, float threshold) {
    while (begin < count && !(scores[begin] > threshold)) {
        ++begin;
    }
    return begin;
}

}  // namespace

const DotPath kDotPortable{dotRows, addMoments, findAbove};

}  // namespace bifocal::kernels
