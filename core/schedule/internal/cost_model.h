// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/base/clock.h"

#include <array>
#include <cstddef>
#include <cstdint>

namespace bifocal::schedule {

/// What a run of b items of one stage and shape takes: α + β·b, fitted to what was observed by
/// least squares whose weights fade by a fiftieth with each observation, and the spread around it
/// as a fading histogram of the ratio observed / fitted. Nothing is multiplied to fade: the newest
/// observation weighs more instead. Threads: compatible.
class CostModel {
public:
    /// `scale` multiplies what is predicted: the scheduler is tried with wrong predictions, too.
    explicit CostModel(double scale = 1) : scale_(scale) {}

    void observe(std::uint32_t items, Duration time);

    /// 0 while nothing was observed.
    Duration mean(std::uint32_t items) const;
    /// Not exceeded by 19 of 20 runs; the mean while there are few.
    Duration p95(std::uint32_t items) const;

private:
    // Ratios from 1/4 to 4, eight buckets for a factor of two.
    static constexpr std::size_t kRatioCount = 33;

    double predict(double items) const;
    double p95Ratio() const;
    void addRatio(double ratio);
    void fit();
    void rescale();

    double scale_;
    double newest_ = 1;  // weight of the next observation
    // Weighted sums of 1, b, b², t and b·t, in seconds.
    double weight_ = 0;
    double items_ = 0;
    double squares_ = 0;
    double times_ = 0;
    double products_ = 0;
    double alpha_ = 0;
    double beta_ = 0;
    std::array<double, kRatioCount> ratios_{};  // weight of each bucket
    double ratioWeight_ = 0;                    // of all buckets
};

}  // namespace bifocal::schedule
