// SPDX-License-Identifier: Apache-2.0
#include "core/schedule/internal/cost_model.h"

#include <algorithm>
#include <chrono>
#include <cmath>

namespace bifocal::schedule {

namespace {

constexpr double kGrowth = 1 / 0.98;     // of the weight from one observation to the next
constexpr double kHeaviest = 0x1p64;     // 2,195 observations
constexpr double kFewestForSpread = 10;  // observations, the older ones counted less
constexpr double kStepsPerDoubling = 8;
constexpr double kShortest = 1e-9;

Duration fromSeconds(double seconds) {
    return std::chrono::duration_cast<Duration>(std::chrono::duration<double>(seconds));
}

}  // namespace

void CostModel::observe(std::uint32_t items, Duration time) {
    const double b = items;
    const double t = std::max(std::chrono::duration<double>(time).count(), kShortest);
    if (weight_ > 0) {
        addRatio(t / predict(b));
    }
    weight_ += newest_;
    items_ += newest_ * b;
    squares_ += newest_ * b * b;
    times_ += newest_ * t;
    products_ += newest_ * b * t;
    fit();
    newest_ *= kGrowth;
    if (newest_ > kHeaviest) {
        rescale();
    }
}

void CostModel::addRatio(double ratio) {
    constexpr double kMiddle = (kRatioCount - 1) / 2.0;
    const double bucket = std::round(std::log2(ratio) * kStepsPerDoubling + kMiddle);
    ratios_[static_cast<std::size_t>(std::clamp(bucket, 0.0, kRatioCount - 1.0))] += newest_;
    ratioWeight_ += newest_;
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

void CostModel::rescale() {
    const double factor = 1 / newest_;
    for (double* sum :
         {&newest_, &weight_, &items_, &squares_, &times_, &products_, &ratioWeight_}) {
        *sum *= factor;
    }
    for (double& ratio : ratios_) {
        ratio *= factor;
    }
}

double CostModel::predict(double items) const {
    return std::max(alpha_ + beta_ * items, kShortest);
}

double CostModel::p95Ratio() const {
    double above = 0;
    std::size_t at = kRatioCount;
    while (at > 0 && above + ratios_[at - 1] <= 0.05 * ratioWeight_) {
        above += ratios_[--at];
    }
    constexpr double kMiddle = (kRatioCount - 1) / 2.0;
    return std::exp2((static_cast<double>(at) - 1 - kMiddle) / kStepsPerDoubling);
}

Duration CostModel::mean(std::uint32_t items) const {
    return weight_ > 0 ? fromSeconds(predict(items) * scale_) : Duration(0);
}

Duration CostModel::p95(std::uint32_t items) const {
    if (weight_ == 0) {
        return Duration(0);
    }
    // The weight of the last observation is newest_ / kGrowth.
    const bool isSpreadKnown = weight_ * kGrowth >= kFewestForSpread * newest_;
    const double spread = isSpreadKnown ? std::max(p95Ratio(), 1.0) : 1.0;
    return fromSeconds(predict(items) * spread * scale_);
}

}  // namespace bifocal::schedule
