// SPDX-License-Identifier: Apache-2.0
#include "core/schedule/policies/parameters.h"

#include <array>
#include <chrono>
#include <cmath>
#include <cstdio>
#include <limits>
#include <variant>

namespace bifocal::schedule {

namespace {

using ParameterField = std::variant<double*, Duration*, bool*>;
using FieldOf = ParameterField (*)(PolicyConfig&);
using Milliseconds = std::chrono::duration<double, std::milli>;

struct ParameterEntry {
    PolicyParameter parameter;
    FieldOf fieldOf;
};

constexpr double kMinuteMs = 60e3;
constexpr double kHourMs = 3600e3;
constexpr double kDayMs = 24 * kHourMs;
constexpr double kMaxFactor = 1000;
constexpr double kMinDecay = 0.0001;
constexpr double kMaxDecay = 0.9999;
constexpr double kMinShare = 0.01;
constexpr double kShareTolerance = 1e-9;  // 0.1 + 0.2 + 0.7 is not quite 1

constexpr ParameterEntry slackRow(const char* name, FieldOf fieldOf) {
    return {{name, "ms", 0, kDayMs}, fieldOf};
}
constexpr ParameterEntry factorRow(const char* name, FieldOf fieldOf) {
    return {{name, "", 0, kMaxFactor}, fieldOf};
}
constexpr ParameterEntry decayRow(const char* name, FieldOf fieldOf) {
    return {{name, "", kMinDecay, kMaxDecay}, fieldOf};
}
constexpr ParameterEntry shareRow(const char* name, FieldOf fieldOf) {
    return {{name, "", kMinShare, 1}, fieldOf};
}
constexpr ParameterEntry targetRow(const char* name, FieldOf fieldOf) {
    return {{name, "ms", 1, kDayMs}, fieldOf};
}

constexpr std::array<ParameterEntry, 22> kParameters = {{
    slackRow("deadline.slack.interactive",
             [](PolicyConfig& c) -> ParameterField { return &c.deadline.slack.interactive; }),
    slackRow("deadline.slack.prefetch",
             [](PolicyConfig& c) -> ParameterField { return &c.deadline.slack.prefetch; }),
    slackRow("deadline.slack.batch",
             [](PolicyConfig& c) -> ParameterField { return &c.deadline.slack.batch; }),
    factorRow("seed_decay.weight.text",
              [](PolicyConfig& c) -> ParameterField { return &c.seedDecay.textWeight; }),
    factorRow("seed_decay.weight.speech",
              [](PolicyConfig& c) -> ParameterField { return &c.seedDecay.speechWeight; }),
    factorRow("seed_decay.weight.image",
              [](PolicyConfig& c) -> ParameterField { return &c.seedDecay.imageWeight; }),
    factorRow("seed_decay.weight.video",
              [](PolicyConfig& c) -> ParameterField { return &c.seedDecay.videoWeight; }),
    factorRow("seed_decay.urgency.interactive",
              [](PolicyConfig& c) -> ParameterField { return &c.seedDecay.urgency.interactive; }),
    factorRow("seed_decay.urgency.prefetch",
              [](PolicyConfig& c) -> ParameterField { return &c.seedDecay.urgency.prefetch; }),
    factorRow("seed_decay.urgency.batch",
              [](PolicyConfig& c) -> ParameterField { return &c.seedDecay.urgency.batch; }),
    decayRow("seed_decay.decay.interactive",
             [](PolicyConfig& c) -> ParameterField { return &c.seedDecay.decay.interactive; }),
    decayRow("seed_decay.decay.prefetch",
             [](PolicyConfig& c) -> ParameterField { return &c.seedDecay.decay.prefetch; }),
    decayRow("seed_decay.decay.batch",
             [](PolicyConfig& c) -> ParameterField { return &c.seedDecay.decay.batch; }),
    {{"seed_decay.guard", "", 0, 1},
     [](PolicyConfig& c) -> ParameterField { return &c.seedDecay.isGuarded; }},
    {{"static_partition.frame", "ms", 1, kMinuteMs},
     [](PolicyConfig& c) -> ParameterField { return &c.staticPartition.frame; }},
    shareRow(
        "static_partition.share.interactive",
        [](PolicyConfig& c) -> ParameterField { return &c.staticPartition.share.interactive; }),
    shareRow("static_partition.share.prefetch",
             [](PolicyConfig& c) -> ParameterField { return &c.staticPartition.share.prefetch; }),
    shareRow("static_partition.share.batch",
             [](PolicyConfig& c) -> ParameterField { return &c.staticPartition.share.batch; }),
    targetRow("adaptive_lifo.target.interactive",
              [](PolicyConfig& c) -> ParameterField { return &c.adaptiveLifo.target.interactive; }),
    targetRow("adaptive_lifo.target.prefetch",
              [](PolicyConfig& c) -> ParameterField { return &c.adaptiveLifo.target.prefetch; }),
    targetRow("adaptive_lifo.target.batch",
              [](PolicyConfig& c) -> ParameterField { return &c.adaptiveLifo.target.batch; }),
    {{"adaptive_lifo.interval", "ms", 1, kHourMs},
     [](PolicyConfig& c) -> ParameterField { return &c.adaptiveLifo.interval; }},
}};

std::string numberText(double value) {
    std::array<char, 32> text{};
    std::snprintf(text.data(), text.size(), "%.12g", value);
    return text.data();
}

const ParameterEntry* findParameter(std::string_view name) {
    for (const ParameterEntry& entry : kParameters) {
        if (name == entry.parameter.name) {
            return &entry;
        }
    }
    return nullptr;
}

Error unknownParameter(std::string_view name) {
    return {ErrorCode::NotFound, "policy parameter \"" + std::string(name) + "\": there is none"};
}

double readValue(const ParameterEntry& entry, PolicyConfig config) {
    const ParameterField field = entry.fieldOf(config);
    if (const auto* const* time = std::get_if<Duration*>(&field)) {
        return Milliseconds(**time).count();
    }
    if (const auto* const* flag = std::get_if<bool*>(&field)) {
        return **flag ? 1 : 0;
    }
    return *std::get<double*>(field);
}

// NaN is in no range.
Result<void> checkRange(const ParameterEntry& entry, double value) {
    const PolicyParameter& range = entry.parameter;
    if (value >= range.lowest && value <= range.highest) {
        return {};
    }
    const std::string unit = *range.unit == '\0' ? "" : std::string(" ") + range.unit;
    return Error{ErrorCode::InvalidArgument,
                 std::string(range.name) + ": " + numberText(value) + " is not within " +
                     numberText(range.lowest) + " to " + numberText(range.highest) + unit};
}

}  // namespace

Result<void> checkParameters(const PolicyConfig& config) {
    for (const ParameterEntry& entry : kParameters) {
        BIFOCAL_CHECK(checkRange(entry, readValue(entry, config)));
    }
    const PerClass<double>& shares = config.staticPartition.share;
    const double sum = shares.interactive + shares.prefetch + shares.batch;
    if (sum > 1 + kShareTolerance) {
        return Error{ErrorCode::InvalidArgument,
                     "static_partition.share: the sum " + numberText(sum) + " is above 1"};
    }
    return {};
}

std::vector<PolicyParameter> policyParameters() {
    std::vector<PolicyParameter> parameters;
    parameters.reserve(std::size(kParameters));
    for (const ParameterEntry& entry : kParameters) {
        parameters.push_back(entry.parameter);
    }
    return parameters;
}

Result<double> policyParameter(const PolicyConfig& config, std::string_view name) {
    const ParameterEntry* entry = findParameter(name);
    if (entry == nullptr) {
        return unknownParameter(name);
    }
    return readValue(*entry, config);
}

Result<void> setPolicyParameter(PolicyConfig& config, std::string_view name, double value) {
    const ParameterEntry* entry = findParameter(name);
    if (entry == nullptr) {
        return unknownParameter(name);
    }
    BIFOCAL_CHECK(checkRange(*entry, value));
    const ParameterField field = entry->fieldOf(config);
    if (auto* const* time = std::get_if<Duration*>(&field)) {
        **time = Duration(std::llround(value * 1e6));
    } else if (auto* const* flag = std::get_if<bool*>(&field)) {
        if (value != 0 && value != 1) {
            return Error{ErrorCode::InvalidArgument,
                         std::string(name) + ": " + numberText(value) + " is neither 0 nor 1"};
        }
        **flag = value == 1;
    } else {
        *std::get<double*>(field) = value;
    }
    return {};
}

}  // namespace bifocal::schedule
