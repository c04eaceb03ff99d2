// SPDX-License-Identifier: Apache-2.0
#include "core/schedule/internal/cost_model.h"

#include <algorithm>
#include <chrono>
#include <cmath>

namespace bifocal::schedule {

namespace {

constexpr double kFading = 0.98;
constexpr double kFewestForSpread = 10;  // faded weight
constexpr double kStepsPerDoubling = 8;

Duration fromSeconds(double seconds) {
    return std::chrono::duration_cast<Duration>(std::chrono::duration<double>(seconds));
}

}  // namespace

void CostModel::observe(std::uint32_t items, Duration time) {
    const double b = items;
    const double t = std::max(std::chrono::duration<double>(time).count(), 1e-9);
    if (weight_ > 0) {
        const double step = std::log2(t / predict(b)) * kStepsPerDoubling;
        const double middle = (kRatioCount - 1) / 2.0;
        const auto bucket = static_cast<std::size_t>(
            std::clamp(std::round(step + middle), 0.0, static_cast<double>(kRatioCount - 1)));
        float total = 0;
        for (float& ratio : ratios_) {
            ratio *= static_cast<float>(kFading);
            total += ratio;
        }
        ratios_[bucket] += 1;
        total += 1;
        float above = 0;
        std::size_t at = kRatioCount;
        while (at > 0 && above + ratios_[at - 1] <= 0.05F * total) {
            above += ratios_[--at];
        }
        p95Ratio_ = std::exp2((static_cast<double>(at) - 1 - middle) / kStepsPerDoubling);
    }
    weight_ = weight_ * kFading + 1;
    items_ = items_ * kFading + b;
    squares_ = squares_ * kFading + b * b;
    times_ = times_ * kFading + t;
    products_ = products_ * kFading + b * t;
    fit();
}

void CostModel::fit() {
    const double determinant = weight_ * squares_ - items_ * items_;
    // Runs of one size say nothing about the slope: the last one is kept, or all is per item.
    if (determinant > 1e-3 * weight_ * squares_) {
        beta_ = std::max((weight_ * products_ - items_ * times_) / determinant, 0.0);
    } else if (beta_ == 0) {
        beta_ = times_ / items_;
    }
    alpha_ = std::max((times_ - beta_ * items_) / weight_, 0.0);
    if (alpha_ == 0) {
        beta_ = times_ / items_;
    }
}

double CostModel::predict(double items) const {
    return std::max(alpha_ + beta_ * items, 1e-9);
}

Duration CostModel::mean(std::uint32_t items) const {
    return weight_ > 0 ? fromSeconds(predict(items) * scale_) : Duration(0);
}

Duration CostModel::p95(std::uint32_t items) const {
    const double spread = weight_ < kFewestForSpread ? 1.0 : std::max(p95Ratio_, 1.0);
    return weight_ > 0 ? fromSeconds(predict(items) * spread * scale_) : Duration(0);
}

}  // namespace bifocal::schedule
