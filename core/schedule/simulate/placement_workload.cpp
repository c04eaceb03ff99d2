// SPDX-License-Identifier: Apache-2.0
#include "core/schedule/simulate/placement_workload.h"

#include "core/base/assert.h"
#include "core/schedule/internal/admission.h"
#include "core/schedule/internal/lane_core.h"
#include "core/schedule/memory_ledger.h"
#include "core/schedule/placement.h"
#include "core/schedule/simulate/workload.h"

#include <algorithm>
#include <array>
#include <limits>
#include <memory>
#include <random>
#include <utility>

namespace bifocal::schedule {

namespace {

constexpr std::uint32_t kPlacementReadyCap = 1'000'000;
constexpr std::uint32_t kJoined = 8;

enum class Stage : std::uint8_t { Words = 0, Picture };
constexpr std::array<Stage, 2> kStages{Stage::Words, Stage::Picture};

/// What goes to the device: 77 tokens, or a picture as a tower takes it, in FP16.
constexpr std::array<StageDemand, 2> kDemands{
    StageDemand{"encode_text", 0, 1, std::uint64_t{77} * 4, {}, {}},
    StageDemand{"encode_image", 0, 1, std::uint64_t{3} * 224 * 224 * 2, {}, {}}};

std::size_t indexOf(Stage stage) {
    return static_cast<std::size_t>(stage);
}

const StageDemand& demandOf(Stage stage) {
    return kDemands[indexOf(stage)];
}

Stage stageOf(const TaskSpec& spec) {
    return spec.features.hasImage ? Stage::Picture : Stage::Words;
}

/// A lane and the simulated device behind it.
struct Device {
    explicit Device(const DeviceProfile& deviceProfile) : profile(deviceProfile) {}

    const DeviceProfile& profile;
    MemoryLedger ledger{std::numeric_limits<std::uint64_t>::max()};
    Admission admission{ledger, 1, 0};
    LaneCore core{{"device", 0, kPlacementReadyCap, 1, 0, {{kJoined, kJoined, kJoined}, {}, 0}},
                  makeDeadlinePolicy(),
                  admission};
    Run* running = nullptr;
    Stage runningStage = Stage::Words;
    TimePoint begin;
    TimePoint end = TimePoint::max();
    TimePoint predictedEnd;
    std::array<std::uint32_t, 2> waiting{};  ///< by stage
    Duration busy{0};
    std::array<std::uint64_t, 2> sent{};  ///< by stage
};

class PlacementSimulation {
public:
    PlacementSimulation(const PlacementConfig& config, std::vector<Arrival> arrivals);

    PlacementResult run();

private:
    struct Prompt {
        TimePoint arrival;
        std::uint32_t stagesLeft = 2;
    };

    Device* nextToEnd();
    void arrive();
    std::size_t choose(Stage stage);
    DeviceState stateOf(const Device& device, std::size_t index, Stage stage) const;
    std::size_t fastestAlone(Stage stage) const;
    void serve(std::size_t index);
    void begin(std::size_t index, Run& run);
    void finish(std::size_t index);
    Duration service(const Device& device, Stage stage, std::uint32_t items) const;

    const PlacementConfig& config_;
    const std::vector<Arrival> arrivals_;
    std::vector<std::unique_ptr<Device>> devices_;
    Placement placement_;
    std::mt19937_64 random_;
    TimePoint now_{};
    std::vector<Prompt> prompts_;
    std::vector<double> latencies_;
    PlacementResult result_;
};

PlacementSimulation::PlacementSimulation(const PlacementConfig& config,
                                         std::vector<Arrival> arrivals)
    : config_(config),
      arrivals_(std::move(arrivals)),
      placement_(config.devices.size()),
      random_(config.seed * 0x9E3779B97F4A7C15U + 1) {
    for (const DeviceProfile& profile : config.devices) {
        devices_.push_back(std::make_unique<Device>(profile));
    }
}

PlacementResult PlacementSimulation::run() {
    const TimePoint end(config_.length);
    for (;;) {
        Device* device = nextToEnd();
        const std::size_t sent = prompts_.size();
        const TimePoint arrival =
            sent < arrivals_.size() ? TimePoint(arrivals_[sent].time) : TimePoint::max();
        now_ = std::min(arrival, device->end);
        if (now_ >= end) {
            break;
        }
        if (device->end <= arrival) {
            const auto index = static_cast<std::size_t>(
                std::find_if(devices_.begin(),
                             devices_.end(),
                             [device](const auto& each) { return each.get() == device; }) -
                devices_.begin());
            finish(index);
            serve(index);
        } else {
            arrive();
        }
    }
    result_.offered = prompts_.size();
    for (const Prompt& prompt : prompts_) {
        if (prompt.stagesLeft > 0) {
            ++result_.unanswered;
            latencies_.push_back(
                std::chrono::duration<double, std::milli>(end - prompt.arrival).count());
        }
    }
    const double length = std::chrono::duration<double>(config_.length).count();
    result_.promptsPerSecond = static_cast<double>(result_.offered - result_.unanswered) / length;
    result_.prompts = summarize(std::move(latencies_));
    for (const auto& device : devices_) {
        const Duration unfinished = device->running != nullptr ? end - device->begin : Duration(0);
        result_.devices.push_back(
            {device->profile.name,
             std::chrono::duration<double>(device->busy + unfinished).count() / length,
             device->sent[indexOf(Stage::Words)],
             device->sent[indexOf(Stage::Picture)]});
    }
    return std::move(result_);
}

Device* PlacementSimulation::nextToEnd() {
    return std::min_element(devices_.begin(),
                            devices_.end(),
                            [](const auto& a, const auto& b) { return a->end < b->end; })
        ->get();
}

void PlacementSimulation::arrive() {
    prompts_.push_back({now_});
    for (const Stage stage : kStages) {
        const std::size_t index = choose(stage);
        Device& device = *devices_[index];
        TaskSpec spec;
        spec.stage = demandOf(stage).stage;
        spec.request = RequestId{prompts_.size()};
        spec.features = {.hasText = stage == Stage::Words, .hasImage = stage == Stage::Picture};
        spec.maxJoined = kJoined;
        std::shared_ptr<Work> none;
        const auto queued = device.core.enqueue(spec, none, now_);
        BIFOCAL_ASSERT(queued.has_value());
        ++device.waiting[indexOf(stage)];
        ++device.sent[indexOf(stage)];
        serve(index);
    }
}

std::size_t PlacementSimulation::choose(Stage stage) {
    switch (config_.strategy) {
        case PlacementStrategy::OneDevice: return config_.onlyDevice;
        case PlacementStrategy::Fixed: return fastestAlone(stage);
        case PlacementStrategy::EarliestFinish: break;
    }
    std::vector<DeviceState> states;
    for (std::size_t i = 0; i < devices_.size(); ++i) {
        states.push_back(stateOf(*devices_[i], i, stage));
    }
    const Result<Placed> placed = placement_.place(demandOf(stage), states);
    BIFOCAL_ASSERT(placed.has_value());
    result_.trials += placed->isTrial ? 1 : 0;
    return placed->device;
}

/// What runs, and full runs of what waits; a run that is not full takes the new one with it.
DeviceState PlacementSimulation::stateOf(const Device& device,
                                         std::size_t index,
                                         Stage stage) const {
    DeviceState state;
    state.bytesPerSecond = device.profile.bytesPerSecond;
    if (device.running != nullptr) {
        state.workAhead = std::max(device.predictedEnd - now_, Duration(0));
    }
    for (const Stage each : kStages) {
        const std::uint32_t waiting = device.waiting[indexOf(each)];
        const std::uint32_t rest = waiting % kJoined;
        state.workAhead += placement_.cost(demandOf(each), index, kJoined) * (waiting / kJoined);
        if (each == stage) {
            state.joinedItems = rest;
        } else if (rest > 0) {
            state.workAhead += placement_.cost(demandOf(each), index, rest);
        }
    }
    return state;
}

std::size_t PlacementSimulation::fastestAlone(Stage stage) const {
    const auto fastest =
        std::min_element(devices_.begin(), devices_.end(), [&](const auto& a, const auto& b) {
            return service(*a, stage, 1) < service(*b, stage, 1);
        });
    return static_cast<std::size_t>(fastest - devices_.begin());
}

void PlacementSimulation::serve(std::size_t index) {
    Device& device = *devices_[index];
    if (device.running != nullptr) {
        return;
    }
    const Decision decision = device.core.next({}, now_);
    if (decision.kind == Decision::Kind::Run) {
        begin(index, *decision.run);
    }
}

void PlacementSimulation::begin(std::size_t index, Run& run) {
    Device& device = *devices_[index];
    device.running = &run;
    device.runningStage = stageOf(run.tasks().front()->spec);
    device.waiting[indexOf(device.runningStage)] -= run.count;
    device.begin = now_;
    device.predictedEnd = now_ + placement_.cost(demandOf(device.runningStage), index, run.items);
    const double factor = config_.disturbance.draw(random_);
    device.end = now_ + std::chrono::duration_cast<Duration>(
                            service(device, device.runningStage, run.items) * factor);
}

void PlacementSimulation::finish(std::size_t index) {
    Device& device = *devices_[index];
    Run& run = *std::exchange(device.running, nullptr);
    const Duration time = now_ - device.begin;
    device.busy += time;
    device.end = TimePoint::max();
    placement_.observe(demandOf(device.runningStage), index, run.items, time);
    for (const QueuedTask* task : run.tasks()) {
        Prompt& prompt = prompts_[task->spec.request.value - 1];
        if (--prompt.stagesLeft == 0) {
            latencies_.push_back(
                std::chrono::duration<double, std::milli>(now_ - prompt.arrival).count());
        }
    }
    device.admission.release(run.bytes, run.predictedEnd);
    device.core.finish(run, now_);
}

/// With the copies of what the run needs.
Duration PlacementSimulation::service(const Device& device,
                                      Stage stage,
                                      std::uint32_t items) const {
    const Duration time =
        stage == Stage::Words ? device.profile.textService(items) : device.profile.service(items);
    return time + transferTime(demandOf(stage).bytes * items, device.profile.bytesPerSecond);
}

}  // namespace

Result<PlacementResult> simulatePlacement(const PlacementConfig& config) {
    if (config.devices.empty()) {
        return Error{ErrorCode::InvalidArgument, "placement: no device"};
    }
    if (config.strategy == PlacementStrategy::OneDevice &&
        config.onlyDevice >= config.devices.size()) {
        return Error{ErrorCode::InvalidArgument,
                     "placement: no device " + std::to_string(config.onlyDevice)};
    }
    Workload workload;
    workload.name = "placement";
    workload.source = BatchSource::None;
    workload.promptsPerSecond = config.promptsPerSecond;
    workload.length = config.length;
    BIFOCAL_TRY(std::vector<Arrival> arrivals, arrivalsOf(workload, config.seed));
    return PlacementSimulation(config, std::move(arrivals)).run();
}

}  // namespace bifocal::schedule
