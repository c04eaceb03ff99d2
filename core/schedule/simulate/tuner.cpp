// SPDX-License-Identifier: Apache-2.0
#include "core/schedule/simulate/tuner.h"

#include <algorithm>
#include <array>
#include <chrono>
#include <cmath>
#include <numeric>
#include <random>
#include <string_view>
#include <utility>

namespace bifocal::schedule {

namespace {

constexpr std::uint64_t kHeldOutSeeds = 1'000'000;

/// A parameter on a scale from 0 to 1.
struct Dial {
    std::string name;
    double lowest = 0;
    double highest = 1;
    bool isLogarithmic = false;

    double toValue(double position) const {
        position = std::clamp(position, 0.0, 1.0);
        return isLogarithmic ? lowest * std::pow(highest / lowest, position)
                             : lowest + (highest - lowest) * position;
    }
    double toPosition(double value) const {
        value = std::clamp(value, lowest, highest);
        return isLogarithmic ? std::log(value / lowest) / std::log(highest / lowest)
                             : (value - lowest) / (highest - lowest);
    }
};

/// The scheduler's own, then those of the policy.
std::vector<Dial> dialsOf(const std::string& policy) {
    std::vector<Dial> dials{{"phi", 0, 0.5, false},
                            {"segments", 1, 32, true},
                            {"batch_size", 1, kMaxRunSize, true},
                            {"riders", 0, 8, false}};
    for (const PolicyParameter& parameter : policyParameters()) {
        const std::string_view name = parameter.name;
        if (name.starts_with(policy + ".")) {
            const bool isLogarithmic =
                parameter.lowest > 0 && parameter.highest > 100 * parameter.lowest;
            dials.push_back({parameter.name, parameter.lowest, parameter.highest, isLogarithmic});
        }
    }
    return dials;
}

double valueOf(const SimulationConfig& config, const std::string& name) {
    if (name == "phi") {
        return config.guaranteedShare;
    }
    if (name == "segments") {
        return config.segments;
    }
    if (name == "batch_size") {
        return config.batching.maxSize[2];
    }
    if (name == "riders") {
        return config.batching.maxRiders;
    }
    const auto value = policyParameter(config.policy, name);
    return value ? *value : 0;
}

void setValue(SimulationConfig& config, const std::string& name, double value) {
    const auto whole = static_cast<std::uint32_t>(std::lround(std::max(value, 0.0)));
    if (name == "phi") {
        config.guaranteedShare = value;
    } else if (name == "segments") {
        config.segments = std::max(whole, 1U);
    } else if (name == "batch_size") {
        config.batching.maxSize[2] = std::max(whole, 1U);
    } else if (name == "riders") {
        config.batching.maxRiders = whole;
    } else {
        // Out of range together with others (a sum of shares): then it stays as it was.
        (void)setPolicyParameter(config.policy, name, value).has_value();
    }
}

class Search {
public:
    explicit Search(const TunerOptions& options)
        : options_(options), dials_(dialsOf(options.config.policy.name)), random_(options.seed) {}

    Result<TunerResult> run();

private:
    Result<double> cost(SimulationConfig config, std::uint64_t seed, bool isHeldOut);
    Result<double> meanCost(const SimulationConfig& config);
    SimulationConfig at(const std::vector<double>& position) const;
    Result<SimulationConfig> search();
    Result<void> judge(const SimulationConfig& tuned);

    const TunerOptions& options_;
    const std::vector<Dial> dials_;
    std::mt19937_64 random_;
    TunerResult result_;
};

/// The first or the second half of a recorded workload.
Workload halfOf(Workload workload, bool isSecond) {
    const Duration middle = workload.length / 2;
    std::vector<Arrival> kept;
    for (Arrival arrival : workload.recorded) {
        if ((arrival.time >= middle) == isSecond) {
            arrival.time -= isSecond ? middle : Duration(0);
            kept.push_back(arrival);
        }
    }
    workload.recorded = std::move(kept);
    workload.length = middle;
    return workload;
}

Result<double> Search::cost(SimulationConfig config, std::uint64_t seed, bool isHeldOut) {
    if (options_.isStopped && options_.isStopped()) {
        return Error{ErrorCode::Cancelled, "tuning was stopped"};
    }
    if (!config.workload.recorded.empty()) {
        config.workload = halfOf(std::move(config.workload), isHeldOut);
    }
    config.seed = seed + (isHeldOut ? kHeldOutSeeds : 0);
    BIFOCAL_TRY(const SimulationResult result, simulate(config));
    ++result_.simulations;
    return costOf(config, result);
}

Result<double> Search::meanCost(const SimulationConfig& config) {
    double sum = 0;
    for (std::uint32_t run = 1; run <= options_.trainingRuns; ++run) {
        BIFOCAL_TRY(const double one, cost(config, run, false));
        sum += one;
    }
    return sum / options_.trainingRuns;
}

SimulationConfig Search::at(const std::vector<double>& position) const {
    SimulationConfig config = options_.config;
    for (std::size_t i = 0; i < dials_.size(); ++i) {
        setValue(config, dials_[i].name, dials_[i].toValue(position[i]));
    }
    return config;
}

Result<SimulationConfig> Search::search() {
    std::vector<double> mean;
    for (const Dial& dial : dials_) {
        mean.push_back(dial.toPosition(valueOf(options_.config, dial.name)));
    }
    std::vector<double> spread(dials_.size(), 0.3);
    SimulationConfig best = options_.config;
    result_.trainingAfter = result_.trainingBefore;
    for (std::uint32_t generation = 0; generation < options_.generations; ++generation) {
        std::vector<std::pair<double, std::vector<double>>> drawn;
        for (std::uint32_t i = 0; i < options_.candidates; ++i) {
            std::vector<double> position;
            for (std::size_t d = 0; d < dials_.size(); ++d) {
                const double value = std::normal_distribution<double>(mean[d], spread[d])(random_);
                position.push_back(std::clamp(value, 0.0, 1.0));
            }
            const SimulationConfig candidate = at(position);
            BIFOCAL_TRY(const double candidateCost, meanCost(candidate));
            if (candidateCost < result_.trainingAfter) {
                result_.trainingAfter = candidateCost;
                best = candidate;
            }
            drawn.emplace_back(candidateCost, std::move(position));
        }
        std::sort(drawn.begin(), drawn.end());
        const std::size_t elite = std::max<std::size_t>(drawn.size() / 4, 2);
        for (std::size_t d = 0; d < dials_.size(); ++d) {
            double sum = 0;
            double squares = 0;
            for (std::size_t i = 0; i < elite; ++i) {
                sum += drawn[i].second[d];
                squares += drawn[i].second[d] * drawn[i].second[d];
            }
            mean[d] = sum / static_cast<double>(elite);
            const double variance = squares / static_cast<double>(elite) - mean[d] * mean[d];
            spread[d] = std::sqrt(std::max(variance, 0.0)) + 0.01;
        }
    }
    return best;
}

Result<void> Search::judge(const SimulationConfig& tuned) {
    std::vector<double> differences;
    for (std::uint32_t run = 1; run <= options_.heldOutRuns; ++run) {
        BIFOCAL_TRY(const double before, cost(options_.config, run, true));
        BIFOCAL_TRY(const double after, cost(tuned, run, true));
        result_.heldOutBefore += before / options_.heldOutRuns;
        result_.heldOutAfter += after / options_.heldOutRuns;
        differences.push_back(after - before);
    }
    constexpr std::size_t kResamples = 2000;
    std::vector<double> means;
    std::uniform_int_distribution<std::size_t> any(0, differences.size() - 1);
    for (std::size_t i = 0; i < kResamples; ++i) {
        double sum = 0;
        for (std::size_t j = 0; j < differences.size(); ++j) {
            sum += differences[any(random_)];
        }
        means.push_back(sum / static_cast<double>(differences.size()));
    }
    std::sort(means.begin(), means.end());
    result_.differenceLow = means[kResamples / 40];
    result_.differenceHigh = means[kResamples - 1 - kResamples / 40];
    result_.wins = result_.differenceHigh < 0;
    return {};
}

Result<TunerResult> Search::run() {
    BIFOCAL_TRY(result_.trainingBefore, meanCost(options_.config));
    BIFOCAL_TRY(result_.tuned, search());
    for (const Dial& dial : dials_) {
        result_.parameters.push_back(
            {dial.name, valueOf(options_.config, dial.name), valueOf(result_.tuned, dial.name)});
    }
    BIFOCAL_CHECK(judge(result_.tuned));
    return std::move(result_);
}

}  // namespace

double costOf(const SimulationConfig& config, const SimulationResult& result) {
    constexpr double kLostPrompt = 10;
    const auto inMs = [&config](std::uint32_t items) {
        return std::chrono::duration<double, std::milli>(config.device.service(items)).count();
    };
    const auto offered = static_cast<double>(std::max<std::uint64_t>(result.offeredPrompts, 1));
    const double lost =
        static_cast<double>(result.droppedPrompts + result.unansweredPrompts) / offered;
    const double wait = std::min(result.prompts.p95Ms / inMs(1), kLostPrompt);
    // Against the default's largest run, so that a candidate is not measured by its own.
    const double alone = 16 / inMs(16) * 1000;
    const double missing = std::max(1 - result.batchPerSecond / alone, 0.0);
    return (1 - lost) * wait + lost * kLostPrompt + missing;
}

Result<TunerResult> tune(const TunerOptions& options) {
    if (options.generations < 1 || options.candidates < 4 || options.trainingRuns < 1 ||
        options.heldOutRuns < 5) {
        return Error{ErrorCode::InvalidArgument,
                     "tuner: at least 1 generation, 4 candidates, 1 training and 5 held-out runs"};
    }
    return Search(options).run();
}

}  // namespace bifocal::schedule
