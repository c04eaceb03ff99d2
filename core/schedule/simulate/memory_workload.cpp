// SPDX-License-Identifier: Apache-2.0
#include "core/schedule/simulate/memory_workload.h"

#include "core/base/assert.h"
#include "core/schedule/internal/admission.h"
#include "core/schedule/memory_profile.h"
#include "core/schedule/simulate/allocator_model.h"

#include <algorithm>
#include <array>
#include <chrono>
#include <cmath>
#include <deque>
#include <functional>
#include <memory>
#include <optional>
#include <random>
#include <string>
#include <utility>

namespace bifocal::schedule {

namespace {

constexpr std::uint32_t kQueueCount = 8;
constexpr std::uint32_t kMostInFlight = 64;
constexpr std::uint32_t kMostTensors = 15;
constexpr double kBytesPerMebi = 1024.0 * 1024.0;
constexpr double kGibi = 1024.0 * kBytesPerMebi;
constexpr double kTensorMargin = 1.08;
constexpr double kMeanTakeGapSeconds = 0.5;
constexpr double kHopelessShare = 0.1;  // of the underestimated
constexpr std::uint32_t kMostIdleTakes = 1000;

/// The same numbers on every platform, which the standard's distributions are not.
class Random {
public:
    explicit Random(std::uint64_t seed) : engine_(seed) {}

    double unit() { return static_cast<double>(engine_() >> 11U) * 0x1p-53; }
    double between(double low, double high) { return low + (high - low) * unit(); }
    std::uint32_t integer(std::uint32_t low, std::uint32_t high) {
        return low + static_cast<std::uint32_t>(unit() * (high - low + 1));
    }
    Duration exponential(double meanSeconds) {
        return std::chrono::duration_cast<Duration>(
            std::chrono::duration<double>(-meanSeconds * std::log1p(-unit())));
    }

private:
    std::mt19937_64 engine_;
};

struct Job {
    TimePoint arrival;
    Duration predicted{0};
    Duration actual{0};
    std::array<std::uint64_t, kMostTensors> tensors{};  // of the whole batch, as estimated
    std::uint32_t tensorCount = 0;
    std::uint32_t batch = 1;
    bool isUnderestimated = false;
    bool isHopeless = false;

    std::uint32_t itemsLeft = 0;
    MemoryAttempt attempt;
    std::uint32_t retries = 0;
    std::uint32_t run = 0;  // counts its runs, so that events of an earlier one are known

    // While it runs:
    std::uint32_t stream = 0;
    TimePoint begin;
    TimePoint predictedEnd;
    std::uint32_t allocatedCount = 0;
    std::array<Allocation, kMostTensors> allocations{};

    std::uint64_t tensorBytes(std::uint32_t index) const {
        const std::uint64_t bytes = tensors[index];
        return isHopeless         ? 2 * bytes
               : isUnderestimated ? 2 * bytes * attempt.batch / batch
                                  : bytes * attempt.batch / batch;
    }
    std::uint64_t neededBytes() const {
        std::uint64_t sum = 0;
        for (std::uint32_t i = 0; i < tensorCount; ++i) {
            sum += tensorBytes(i);
        }
        return sum;
    }
};

double drawPeak(Random& random) {
    const double kind = random.unit();
    return kind < 0.3   ? random.between(80 * kBytesPerMebi, 200 * kBytesPerMebi)
           : kind < 0.8 ? random.between(0.3 * kGibi, 2.5 * kGibi)
                        : random.between(1.5 * kGibi, 6 * kGibi);
}

Job drawJob(Random& random, double underestimatedShare) {
    Job job;
    const double peak = drawPeak(random);
    job.tensorCount = random.integer(4, kMostTensors);
    std::array<double, kMostTensors> parts{};
    double sum = 0;
    for (std::uint32_t i = 0; i < job.tensorCount; ++i) {
        parts[i] = random.between(0.2, 1.0);
        sum += parts[i];
    }
    for (std::uint32_t i = 0; i < job.tensorCount; ++i) {
        job.tensors[i] = static_cast<std::uint64_t>(peak * parts[i] / sum);
    }
    job.actual = std::chrono::microseconds(random.integer(50'000, 500'000));
    job.predicted = std::chrono::duration_cast<Duration>(job.actual / random.between(0.6, 1.0));
    job.predicted = std::max(job.predicted, job.actual);
    job.batch = 1U << random.integer(0, 5);
    job.isUnderestimated = random.unit() < underestimatedShare;
    job.isHopeless = job.isUnderestimated && random.unit() < kHopelessShare;
    return job;
}

struct Event {
    enum class Kind : std::uint8_t { Arrive = 1, Allocate, End, OthersTake };
    TimePoint at;
    std::uint64_t order = 0;
    Kind kind = Kind::Arrive;
    std::uint32_t job = 0;
    std::uint32_t run = 0;

    bool operator>(const Event& other) const {
        return std::pair(at, order) > std::pair(other.at, other.order);
    }
};

AllocatorKind allocatorOf(MemoryStrategy strategy) {
    return strategy == MemoryStrategy::Arena                ? AllocatorKind::Arena
           : strategy == MemoryStrategy::ExpandableSegments ? AllocatorKind::Expandable
                                                            : AllocatorKind::Caching;
}

std::uint32_t inFlightOf(const MemoryWorkloadOptions& options) {
    return options.maxInFlight != 0                    ? options.maxInFlight
           : options.strategy == MemoryStrategy::Slots ? 4
                                                       : 12;
}

/// One workload. Threads: compatible.
class MemorySimulation {
public:
    MemorySimulation(const MemoryWorkloadOptions& options,
                     std::uint64_t seed,
                     MemoryWorkloadResult& result);
    void run();

    double useSeconds() const { return useSeconds_; }
    double measuredSeconds() const { return measuredSeconds_; }

private:
    enum class Outcome : std::uint8_t { Done = 1, OutOfMemory };

    bool isManaged() const { return options_.strategy != MemoryStrategy::Slots; }
    std::uint64_t budget() const {
        return options_.deviceBytes - options_.desktopBytes - othersBytes_;
    }
    std::uint64_t estimateOf(const Job& job) const;
    void push(TimePoint at, Event::Kind kind, std::uint32_t job);
    void passTime(TimePoint until);
    void handle(const Event& event);
    void arrive(std::uint32_t index);
    void othersTake();

    void enqueue(std::uint32_t index);
    void ask(std::uint32_t queue);
    bool tryBegin(std::uint32_t queue);
    void serveClaims();
    void begin(std::uint32_t index);
    void allocateNext(std::uint32_t index);
    void end(std::uint32_t index, Outcome outcome);
    void settle(std::uint32_t index, Outcome outcome);
    void trackFirstClaim(bool isAnew);
    void checkLedger();

    const MemoryWorkloadOptions& options_;
    MemoryWorkloadResult& result_;
    Random random_;
    std::uint64_t othersBytes_ = 0;
    MemoryLedger ledger_;
    Admission admission_;
    std::unique_ptr<AllocatorModel> allocator_;
    std::vector<Job> jobs_;
    std::array<std::deque<std::uint32_t>, kQueueCount> queues_;
    std::array<bool, kQueueCount> hasClaim_{};
    std::vector<std::uint32_t> freeStreams_;
    std::vector<Event> events_;  // a heap, earliest first
    std::uint64_t eventCount_ = 0;
    std::uint32_t settledCount_ = 0;
    std::uint32_t idleTakeCount_ = 0;  // since a job began, arrived or ended
    TimePoint now_;
    std::optional<std::uint32_t> firstClaim_;  // the job
    TimePoint promise_;
    std::uint64_t runningBytes_ = 0;  // peaks
    std::uint64_t waitingBytes_ = 0;
    double useSeconds_ = 0;
    double measuredSeconds_ = 0;
};

MemorySimulation::MemorySimulation(const MemoryWorkloadOptions& options,
                                   std::uint64_t seed,
                                   MemoryWorkloadResult& result)
    : options_(options),
      result_(result),
      random_(seed),
      ledger_(budget()),
      admission_(ledger_, kQueueCount, inFlightOf(options)),
      allocator_(makeAllocatorModel(
          allocatorOf(options.strategy), inFlightOf(options), budget() - options.weightBytes)) {
    ledger_.addPersistent(options.weightBytes);
    for (std::uint32_t stream = inFlightOf(options); stream-- > 0;) {
        freeStreams_.push_back(stream);
    }
    const double gap = std::chrono::duration<double>(options.meanGap).count();
    TimePoint arrival;
    for (std::uint32_t i = 0; i < options.jobCount; ++i) {
        jobs_.push_back(drawJob(random_, options.underestimatedShare));
        jobs_.back().arrival = arrival;
        push(arrival, Event::Kind::Arrive, i);
        arrival += random_.exponential(gap);
    }
    if (options.othersBytes > 0) {
        push(TimePoint() + random_.exponential(kMeanTakeGapSeconds), Event::Kind::OthersTake, 0);
    }
}

void MemorySimulation::run() {
    const std::uint64_t overflowsBefore = result_.overflowCount;
    while (!events_.empty() && settledCount_ < jobs_.size()) {
        std::pop_heap(events_.begin(), events_.end(), std::greater<>());
        const Event event = events_.back();
        events_.pop_back();
        passTime(event.at);
        handle(event);
        // Other programs come and go for ever; by then they held next to nothing many times.
        if (idleTakeCount_ > kMostIdleTakes) {
            break;
        }
    }
    ++result_.workloadCount;
    result_.jobCount += jobs_.size();
    result_.overflowedWorkloadCount += result_.overflowCount > overflowsBefore ? 1 : 0;
    result_.deadlockedWorkloadCount += settledCount_ < jobs_.size() ? 1 : 0;
    const MemoryLedger::Snapshot memory = ledger_.snapshot();
    result_.ledgerViolationCount +=
        memory.reservedBytes != 0 || memory.persistentBytes != options_.weightBytes ? 1 : 0;
}

std::uint64_t MemorySimulation::estimateOf(const Job& job) const {
    std::uint64_t tensors = 0;
    std::uint64_t blocks = 0;
    for (std::uint32_t i = 0; i < job.tensorCount; ++i) {
        tensors += job.tensors[i];
        blocks += roundedBlockBytes(job.tensors[i]);
    }
    switch (options_.strategy) {
        case MemoryStrategy::Slots: return 0;
        case MemoryStrategy::TensorBytes:
        case MemoryStrategy::ExpandableSegments:
            return static_cast<std::uint64_t>(static_cast<double>(tensors) * kTensorMargin);
        case MemoryStrategy::PrimedPools:
        case MemoryStrategy::Arena: break;
    }
    return roundedSegmentBytes(blocks);
}

void MemorySimulation::push(TimePoint at, Event::Kind kind, std::uint32_t job) {
    events_.push_back({at, ++eventCount_, kind, job, jobs_.empty() ? 0 : jobs_[job].run});
    std::push_heap(events_.begin(), events_.end(), std::greater<>());
}

void MemorySimulation::passTime(TimePoint until) {
    const double seconds = std::chrono::duration<double>(until - now_).count();
    const auto inUse = static_cast<double>(options_.weightBytes + runningBytes_);
    const auto limit = static_cast<double>(budget());
    if (inUse + static_cast<double>(waitingBytes_) >= 2 * limit) {
        useSeconds_ += seconds * inUse / limit;
        measuredSeconds_ += seconds;
    }
    now_ = until;
}

void MemorySimulation::handle(const Event& event) {
    idleTakeCount_ =
        event.kind == Event::Kind::OthersTake && runningBytes_ == 0 ? idleTakeCount_ + 1 : 0;
    switch (event.kind) {
        case Event::Kind::Arrive: arrive(event.job); break;
        case Event::Kind::OthersTake: othersTake(); break;
        case Event::Kind::Allocate:
            if (event.run == jobs_[event.job].run) {
                allocateNext(event.job);
            }
            break;
        case Event::Kind::End:
            if (event.run == jobs_[event.job].run) {
                end(event.job, Outcome::Done);
            }
            break;
    }
    checkLedger();
}

void MemorySimulation::arrive(std::uint32_t index) {
    Job& job = jobs_[index];
    job.itemsLeft = job.batch;
    job.attempt = {job.batch, estimateOf(job)};
    result_.underestimatedCount += job.isUnderestimated ? 1 : 0;
    if (!ledger_.canEverFit(job.attempt.bytes)) {
        ++result_.refusedCount;
        ++settledCount_;
        return;
    }
    enqueue(index);
}

void MemorySimulation::othersTake() {
    othersBytes_ =
        static_cast<std::uint64_t>(random_.unit() * static_cast<double>(options_.othersBytes));
    ledger_.setBudget(budget());
    allocator_->setLimit(budget() - options_.weightBytes);
    trackFirstClaim(true);
    serveClaims();
    push(now_ + random_.exponential(kMeanTakeGapSeconds), Event::Kind::OthersTake, 0);
}

void MemorySimulation::enqueue(std::uint32_t index) {
    const std::uint32_t queue = index % kQueueCount;
    queues_[queue].push_back(index);
    waitingBytes_ += jobs_[index].neededBytes();
    if (!hasClaim_[queue]) {
        ask(queue);
        serveClaims();
    }
}

void MemorySimulation::ask(std::uint32_t queue) {
    while (!queues_[queue].empty() && tryBegin(queue)) {
    }
    trackFirstClaim(false);
}

bool MemorySimulation::tryBegin(std::uint32_t queue) {
    const std::uint32_t index = queues_[queue].front();
    Job& job = jobs_[index];
    const Prediction prediction{now_, job.predicted};
    const Admitted answer =
        admission_.tryAdmit({queue, Urgency::Batch}, job.attempt.bytes, prediction);
    hasClaim_[queue] = answer == Admitted::No;
    if (answer == Admitted::No) {
        return false;
    }
    if (firstClaim_ == index) {
        result_.lateClaimCount += now_ > promise_ ? 1 : 0;
        firstClaim_.reset();
    } else if (firstClaim_) {
        ++result_.passedCount;
    }
    queues_[queue].pop_front();
    waitingBytes_ -= job.neededBytes();
    job.predictedEnd = prediction.end();
    const MemoryLedger::Snapshot memory = ledger_.snapshot();
    result_.ledgerViolationCount += memory.overBytes() > 0 ? 1 : 0;
    begin(index);
    return true;
}

void MemorySimulation::serveClaims() {
    while (const std::optional<Claimant> next = admission_.firstServable(now_)) {
        ask(next->lane);
    }
}

void MemorySimulation::begin(std::uint32_t index) {
    Job& job = jobs_[index];
    job.begin = now_;
    job.stream = freeStreams_.back();
    freeStreams_.pop_back();
    job.allocatedCount = 0;
    ++job.run;
    runningBytes_ += job.neededBytes();
    if (!allocator_->beginWork(job.stream, job.attempt.bytes)) {
        end(index, Outcome::OutOfMemory);
        return;
    }
    if (options_.strategy == MemoryStrategy::PrimedPools) {
        const auto segment = allocator_->allocate(job.stream, job.attempt.bytes);
        if (!segment) {
            end(index, Outcome::OutOfMemory);
            return;
        }
        allocator_->free(job.stream, *segment);
    }
    push(now_ + job.actual, Event::Kind::End, index);
    allocateNext(index);
}

void MemorySimulation::allocateNext(std::uint32_t index) {
    Job& job = jobs_[index];
    const auto block = allocator_->allocate(job.stream, job.tensorBytes(job.allocatedCount));
    if (!block) {
        end(index, Outcome::OutOfMemory);
        return;
    }
    job.allocations[job.allocatedCount++] = *block;
    if (job.allocatedCount < job.tensorCount) {
        push(job.begin + job.actual * job.allocatedCount / (2 * job.tensorCount),
             Event::Kind::Allocate,
             index);
    }
}

void MemorySimulation::end(std::uint32_t index, Outcome outcome) {
    Job& job = jobs_[index];
    ++job.run;
    while (job.allocatedCount > 0) {
        allocator_->free(job.stream, job.allocations[--job.allocatedCount]);
    }
    allocator_->endWork(job.stream);
    if (options_.strategy == MemoryStrategy::PrimedPools) {
        allocator_->releaseCached();
    }
    freeStreams_.push_back(job.stream);
    runningBytes_ -= job.neededBytes();
    admission_.release(job.attempt.bytes, job.predictedEnd);
    settle(index, outcome);
    trackFirstClaim(false);
    serveClaims();
}

void MemorySimulation::settle(std::uint32_t index, Outcome outcome) {
    Job& job = jobs_[index];
    if (outcome == Outcome::Done) {
        job.itemsLeft -= std::min(job.itemsLeft, job.attempt.batch);
        if (job.itemsLeft > 0) {
            enqueue(index);
            return;
        }
        ++result_.completedCount;
        result_.splitCompletedCount += job.retries > 0 ? 1 : 0;
        ++settledCount_;
        return;
    }
    const auto smaller =
        job.isUnderestimated ? splitAfterOutOfMemory(job.attempt) : std::optional<MemoryAttempt>();
    if (smaller) {
        job.attempt = *smaller;
        result_.mostRetries = std::max(result_.mostRetries, ++job.retries);
        enqueue(index);
        return;
    }
    ++settledCount_;
    ++(job.isUnderestimated ? result_.failedAloneCount : result_.overflowCount);
}

void MemorySimulation::trackFirstClaim(bool isAnew) {
    const std::optional<Reservation> kept = admission_.reservation(now_);
    if (!kept) {
        firstClaim_.reset();
        return;
    }
    const std::uint32_t job = queues_[kept->who.lane].front();
    if (firstClaim_ != job) {
        firstClaim_ = job;
        ++result_.firstClaimCount;
        promise_ = kept->start;
    } else if (isAnew) {
        promise_ = kept->start;
    }
}

void MemorySimulation::checkLedger() {
    const MemoryLedger::Snapshot memory = ledger_.snapshot();
    result_.ledgerViolationCount +=
        isManaged() && allocator_->reservedBytes() > memory.reservedBytes ? 1 : 0;
}

Result<void> checkMemoryWorkload(const MemoryWorkloadOptions& options) {
    const auto invalid = [](const char* what) {
        return Error{ErrorCode::InvalidArgument, std::string("memory workload: ") + what};
    };
    if (options.maxInFlight > kMostInFlight) {
        return invalid("more than 64 jobs in flight");
    }
    if (options.workloadCount == 0 || options.jobCount == 0) {
        return invalid("no workload, or no job in it");
    }
    if (options.meanGap < Duration::zero() || options.meanGap > std::chrono::hours(1)) {
        return invalid("mean gap is outside 0 … 1 h");
    }
    std::uint64_t left = options.deviceBytes;
    for (const std::uint64_t part :
         {options.desktopBytes, options.weightBytes, options.othersBytes}) {
        if (part >= left) {
            return invalid("desktop, weights and other programs leave nothing of the device");
        }
        left -= part;
    }
    if (!(options.underestimatedShare >= 0 && options.underestimatedShare <= 1)) {
        return invalid("underestimated share is outside 0 … 1");
    }
    if (options.underestimatedShare > 0 && options.strategy != MemoryStrategy::Arena) {
        return invalid("underestimated jobs need the strategy arena");
    }
    return {};
}

double overflowShare(MemoryWorkloadOptions options,
                     MemoryStrategy strategy,
                     std::uint32_t inFlight) {
    options.strategy = strategy;
    options.maxInFlight = inFlight;
    const Result<MemoryWorkloadResult> result = runMemoryWorkload(options);
    BIFOCAL_ASSERT(result.has_value());  // the options were checked
    return static_cast<double>(result->overflowedWorkloadCount) /
           static_cast<double>(result->workloadCount);
}

}  // namespace

const char* toString(MemoryStrategy strategy) {
    switch (strategy) {
        case MemoryStrategy::Slots: return "slots";
        case MemoryStrategy::TensorBytes: return "tensor_bytes";
        case MemoryStrategy::PrimedPools: return "primed_pools";
        case MemoryStrategy::ExpandableSegments: return "expandable_segments";
        case MemoryStrategy::Arena: return "arena";
    }
    return "";
}

Result<MemoryWorkloadResult> runMemoryWorkload(const MemoryWorkloadOptions& options) {
    BIFOCAL_CHECK(checkMemoryWorkload(options));
    MemoryWorkloadResult result;
    double useSeconds = 0;
    double measuredSeconds = 0;
    for (std::uint32_t i = 0; i < options.workloadCount; ++i) {
        MemorySimulation simulation(options, options.firstSeed + i, result);
        simulation.run();
        useSeconds += simulation.useSeconds();
        measuredSeconds += simulation.measuredSeconds();
    }
    result.meanUse = measuredSeconds > 0 ? useSeconds / measuredSeconds : 0;
    return result;
}

Result<std::vector<OverflowPoint>> overflowCurve(const MemoryWorkloadOptions& options,
                                                 std::uint32_t mostInFlight) {
    constexpr std::uint32_t kDrawsPerWorkload = 20;
    if (mostInFlight == 0 || mostInFlight > kMostInFlight) {
        return Error{ErrorCode::InvalidArgument, "overflow curve: 1 … 64 jobs in flight"};
    }
    MemoryWorkloadOptions sustained = options;
    sustained.underestimatedShare = 0;
    BIFOCAL_CHECK(checkMemoryWorkload(sustained));
    std::vector<OverflowPoint> points;
    for (std::uint32_t n = 1; n <= mostInFlight; ++n) {
        MemoryWorkloadOptions together = sustained;
        together.workloadCount *= kDrawsPerWorkload;
        together.jobCount = n;
        together.meanGap = Duration::zero();
        together.othersBytes = 0;
        points.push_back({n,
                          overflowShare(together, MemoryStrategy::Slots, n),
                          overflowShare(together, MemoryStrategy::Arena, n),
                          overflowShare(sustained, MemoryStrategy::Slots, n),
                          overflowShare(sustained, MemoryStrategy::Arena, n)});
    }
    return points;
}

}  // namespace bifocal::schedule
