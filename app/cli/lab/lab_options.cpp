// SPDX-License-Identifier: Apache-2.0
#include "app/cli/lab/lab_options.h"

#include "app/cli/trace_diff.h"
#include "core/base/files.h"

#include <algorithm>
#include <charconv>
#include <chrono>
#include <utility>

namespace bifocal::cli {

namespace {

using schedule::BatchRule;
using schedule::SimulationConfig;
using schedule::Workload;

constexpr std::uint64_t kLargestTrace = std::uint64_t{512} << 20U;
constexpr std::uint64_t kMostSeeds = 10'000;

Result<std::string> textOf(const std::string& path) {
    BIFOCAL_TRY(const std::vector<std::uint8_t> bytes, readFile(path, kLargestTrace));
    return std::string(bytes.begin(), bytes.end());
}

/// A name that is not known is a mistake in the arguments.
template <typename T>
Result<T> asArgument(const char* option, Result<T> result, const char* alsoKnown) {
    if (result) {
        return result;
    }
    return Error{ErrorCode::InvalidArgument,
                 std::string(option) + ": " + result.error().message + alsoKnown};
}

Result<Workload> chosenWorkload(const std::string& name) {
    if (!name.ends_with(".json") && !name.ends_with(".csv")) {
        return asArgument("--workload", schedule::workloadNamed(name), ", W-F");
    }
    BIFOCAL_TRY(const std::string text, textOf(name));
    Result<Workload> workload = workloadFromTrace(name, text);
    return workload ? std::move(workload) : workload.error().withContext(name);
}

Result<BatchRule> chosenBatcher(const std::string& name, const schedule::DeviceProfile& device) {
    if (name == "adaptive") {
        return SimulationConfig{}.batching;
    }
    if (name == "8x50") {
        return BatchRule::eightOrFiftyMilliseconds();
    }
    if (name == "sm-half" && device.multiprocessors > 0) {
        return BatchRule::halfOfMultiprocessors(device.multiprocessors);
    }
    return Error{ErrorCode::InvalidArgument,
                 name == "sm-half" ? device.name + ": its number of multiprocessors is not known"
                                   : "--batcher: one of adaptive, 8x50, sm-half"};
}

/// --set name=value, for the parameters of the policies.
Result<void> setParameters(const Arguments& arguments, schedule::PolicyConfig& policy) {
    for (const std::string& text : arguments.values("--set")) {
        const std::size_t equals = text.find('=');
        double value = 0;
        const char* end = text.data() + text.size();
        const char* begin = equals == std::string::npos ? end : text.data() + equals + 1;
        const auto [parsed, error] = std::from_chars(begin, end, value);
        if (begin == end || error != std::errc() || parsed != end) {
            return Error{ErrorCode::InvalidArgument, "--set " + text + ": must be name=number"};
        }
        BIFOCAL_CHECK(asArgument(
            "--set", schedule::setPolicyParameter(policy, text.substr(0, equals), value), ""));
    }
    return {};
}

Result<void> changeWorkload(const Arguments& arguments, Workload& workload) {
    if (arguments.has("--rate")) {
        BIFOCAL_TRY(workload.promptsPerSecond, arguments.number("--rate", 1, 1e-6, 1e6));
    }
    if (arguments.has("--seconds")) {
        BIFOCAL_TRY(const double seconds, arguments.number("--seconds", 1, 1e-3, 1e6));
        workload.length =
            std::chrono::duration_cast<Duration>(std::chrono::duration<double>(seconds));
    }
    return {};
}

}  // namespace

std::vector<std::string> splitAtCommas(const std::string& text) {
    std::vector<std::string> parts;
    std::size_t begin = 0;
    while (begin <= text.size()) {
        const std::size_t end = std::min(text.find(',', begin), text.size());
        parts.push_back(text.substr(begin, end - begin));
        begin = end + 1;
    }
    return parts;
}

Result<schedule::DeviceProfile> deviceFor(const char* option,
                                          const std::string& name,
                                          const DeviceMeter& meter) {
    if (name == kMeasuredDevice) {
        return meter();
    }
    if (!name.ends_with(".json")) {
        return asArgument(option, schedule::profileNamed(name), ", measured");
    }
    BIFOCAL_TRY(const std::string text, textOf(name));
    return schedule::parseDeviceProfile(text);
}

Result<std::pair<std::uint64_t, std::uint64_t>> parseSeeds(const std::string& text) {
    const Error bad{ErrorCode::InvalidArgument, "--seeds " + text + ": must be A-B, like 1-10"};
    const std::size_t dash = text.find('-');
    std::pair<std::uint64_t, std::uint64_t> seeds;
    const char* end = text.data() + text.size();
    const char* middle = dash == std::string::npos ? end : text.data() + dash;
    const auto first = std::from_chars(text.data(), middle, seeds.first);
    if (first.ec != std::errc() || first.ptr != middle) {
        return bad;
    }
    seeds.second = seeds.first;
    if (middle != end) {
        const auto last = std::from_chars(middle + 1, end, seeds.second);
        if (last.ec != std::errc() || last.ptr != end) {
            return bad;
        }
    }
    if (seeds.second < seeds.first || seeds.second - seeds.first >= kMostSeeds) {
        return bad;
    }
    return seeds;
}

Result<Workload> workloadFromTrace(const std::string& name, const std::string& trace) {
    BIFOCAL_TRY(const std::vector<TracedSpan> spans, readTrace(trace));
    Workload workload;
    workload.name = name;
    workload.title = "a recorded trace";
    workload.source = schedule::BatchSource::Pull;
    double first = 0;
    std::vector<double> begins;
    for (const TracedSpan& span : spans) {
        if (span.key.kind == SpanKind::Total && span.key.urgency == Urgency::Interactive) {
            begins.push_back(span.beginMs);
        }
    }
    if (begins.empty()) {
        return Error{ErrorCode::NotFound, name + ": no interactive request in this trace"};
    }
    std::sort(begins.begin(), begins.end());
    first = begins.front();
    for (const double begin : begins) {
        workload.recorded.push_back({std::chrono::duration_cast<Duration>(
                                         std::chrono::duration<double, std::milli>(begin - first)),
                                     true,
                                     false});
    }
    workload.length = workload.recorded.back().time + std::chrono::seconds(1);
    return workload;
}

Result<LabOptions> labOptionsFrom(const Arguments& arguments, const DeviceMeter& meter) {
    LabOptions options;
    const std::string workload = arguments.value("--workload").value_or("W-A");
    options.isMemoryWorkload = workload == "W-F";
    if (!options.isMemoryWorkload) {
        BIFOCAL_TRY(options.config.workload, chosenWorkload(workload));
        BIFOCAL_CHECK(changeWorkload(arguments, options.config.workload));
    }
    BIFOCAL_TRY(options.config.device,
                deviceFor("--device", arguments.value("--device").value_or("R-T4"), meter));
    BIFOCAL_TRY(
        options.config.batching,
        chosenBatcher(arguments.value("--batcher").value_or("adaptive"), options.config.device));
    BIFOCAL_TRY(options.config.guaranteedShare, arguments.number("--phi", 0.05, 0, 0.5));
    BIFOCAL_TRY(const long segments, arguments.integer("--segments", 12, 1, 1000));
    options.config.segments = static_cast<std::uint32_t>(segments);
    BIFOCAL_CHECK(setParameters(arguments, options.config.policy));
    if (arguments.has("--rough")) {
        options.config.disturbance = schedule::Disturbance::rough(1);
    }
    BIFOCAL_TRY(const auto seeds, parseSeeds(arguments.value("--seeds").value_or("1-5")));
    options.firstSeed = seeds.first;
    options.lastSeed = seeds.second;
    options.policies = splitAtCommas(arguments.value("--policy").value_or("deadline"));
    for (const std::string& policy : options.policies) {
        schedule::PolicyConfig config = options.config.policy;
        config.name = policy;
        BIFOCAL_CHECK(schedule::makePolicy(config, TimePoint()));
    }
    options.config.policy.name = options.policies.front();
    return options;
}

std::vector<OptionSpec> withLabOptions(std::vector<OptionSpec> own) {
    for (const OptionSpec& option : {OptionSpec{"--workload"},
                                     {"--policy"},
                                     {"--device"},
                                     {"--seeds"},
                                     {"--phi"},
                                     {"--segments"},
                                     {"--batcher"},
                                     {"--rate"},
                                     {"--seconds"},
                                     {"--rough", OptionSpec::Value::None},
                                     {"--set", OptionSpec::Value::Many}}) {
        own.push_back(option);
    }
    return own;
}

}  // namespace bifocal::cli
