// SPDX-License-Identifier: Apache-2.0
#include "core/schedule/simulate/request_storm.h"

#include "core/base/assert.h"
#include "core/base/result.h"
#include "core/schedule/scheduler.h"

#include <algorithm>
#include <atomic>
#include <chrono>
#include <deque>
#include <latch>
#include <mutex>
#include <optional>
#include <random>
#include <span>
#include <stop_token>
#include <thread>
#include <utility>
#include <vector>

namespace bifocal::schedule {

namespace {

constexpr std::uint64_t kBudget = 1000;
constexpr std::uint32_t kStormReadyCap = 300;
constexpr std::uint32_t kTextLane = 0;  // one worker for everything: what steps aside, waits
constexpr std::uint32_t kImageLane = 1;
constexpr std::size_t kMostTasks = 5;      // of a request
constexpr std::size_t kOpenRequests = 16;  // of a client
constexpr WorkerConfig kAny{Urgency::Interactive, Urgency::Batch, 0};
constexpr WorkerConfig kPrompts{Urgency::Interactive, Urgency::Interactive, 0};
constexpr WorkerConfig kBackground{Urgency::Prefetch, Urgency::Batch, 19};

SchedulerConfig configOf(std::uint32_t maxSlots) {
    BatchRule joining{{8, 8, 16}, {}, 2};
    joining.window[2] = std::chrono::microseconds(200);
    return {{{"text", {kAny}, kStormReadyCap, joining},
             {"image", {kPrompts, kBackground, kBackground}, kStormReadyCap, joining}},
            kBudget,
            maxSlots};
}

/// A number that can be waited for. Threads: safe.
class Count {
public:
    explicit Count(std::uint32_t value) : value_(value) {}
    void add() { value_.fetch_add(1); }
    void take() {
        if (value_.fetch_sub(1) == 1) {
            value_.notify_all();
        }
    }
    void waitForZero() const {
        for (std::uint32_t value = value_.load(); value != 0; value = value_.load()) {
            value_.wait(value);
        }
    }

private:
    std::atomic<std::uint32_t> value_;
};

/// How one task ended, and what it did before. Written by its workers, read when it is over.
struct TaskOutcome {
    TaskId id;
    bool isAccepted = false;
    std::atomic<bool> isBegun{false};
    std::atomic<std::uint32_t> endCount{0};
    std::atomic<Duration::rep> device{0};
    bool wasAbandoned = false;  // these two: of the first end
    TimePoint end;
};

struct Request {
    RequestId id;
    std::stop_source stop;
    std::array<TaskOutcome, kMostTasks> tasks;
    std::size_t taskCount = 0;
    Count begun{1};  // zero once the subject has begun
    Count held{1};   // a visitor stays until it is zero
    Count open{1};   // accepted tasks that are not over, and one for the client
    std::optional<CancelMoment> moment;
    bool namesTasks = true;  // false: cancelled by its token alone
    std::optional<TimePoint> cancelled;
    std::mutex mutex;  // guards the error
    std::optional<Error> error;
};

/// What the clients and their tasks have in common.
struct Shared {
    Shared(StormOptions stormOptions, const Clock& stormClock, Tracer& tracer)
        : options(std::move(stormOptions)),
          clock(stormClock),
          scheduler(makeScheduler(
              configOf(options.maxSlots), makeDeadlinePolicy(), stormClock, tracer)) {}

    void expect(bool isRight) { violations.fetch_add(isRight ? 0 : 1); }

    const StormOptions options;
    const Clock& clock;
    std::atomic<std::uint64_t> lastRequest{0};
    std::atomic<std::uint64_t> violations{0};
    std::mutex mutex;  // guards the report
    StormReport report;
    std::unique_ptr<Scheduler> scheduler;  // the first to go: its tasks know the rest
};

/// What a task does.
enum class Role : std::uint8_t {
    Plain = 1,    ///< a few segments
    Failing,      ///< the same, and reports an error
    Endless,      ///< segment by segment until it is cancelled
    StopsItself,  ///< asks for its own stop, and says that there is more to do
    Visitor,      ///< stays in its segment until it is let go
};

class StormTask final : public Work {
public:
    StormTask(std::shared_ptr<Request> request,
              std::size_t index,
              Role role,
              std::uint32_t segmentCount,
              Shared& shared)
        : request_(std::move(request)),
          outcome_(request_->tasks[index]),
          role_(role),
          segmentsLeft_(segmentCount),
          shared_(shared) {}

    bool runSegment(std::span<const std::shared_ptr<Work>> members,
                    const WorkerContext& worker) override {
        shared_.expect(role_ != Role::StopsItself || !request_->stop.stop_requested());
        const TimePoint begin = shared_.clock.now();
        for (const std::shared_ptr<Work>& member : members) {
            static_cast<StormTask&>(*member).noteBegin();
        }
        if (shared_.options.segment) {
            shared_.options.segment();
        } else {
            std::this_thread::yield();
        }
        if (role_ == Role::Visitor) {
            request_->held.waitForZero();
        }
        const Duration time = shared_.clock.now() - begin;
        for (const std::shared_ptr<Work>& member : members) {
            static_cast<StormTask&>(*member).outcome_.device.fetch_add(time.count());
        }
        if (role_ == Role::StopsItself) {
            request_->cancelled = shared_.clock.now();
            request_->stop.request_stop();
        }
        return role_ == Role::Endless || role_ == Role::StopsItself || --segmentsLeft_ > 0 ||
               Work::runSegment(members, worker);
    }

    void run(const WorkerContext& /*worker*/) override {
        if (role_ == Role::Failing) {
            const std::lock_guard lock(request_->mutex);
            request_->error = Error{ErrorCode::Internal, "storm: a task that was told to fail"};
        }
        end(false);
    }
    void abandon(Abandoned /*why*/) override { end(true); }

private:
    void noteBegin() {
        shared_.expect(outcome_.endCount.load() == 0);
        const bool isSubject = role_ == Role::Endless || role_ == Role::Visitor;
        if (!outcome_.isBegun.exchange(true) && isSubject) {
            request_->begun.take();
        }
    }
    void end(bool wasAbandoned) {
        if (outcome_.endCount.fetch_add(1) > 0) {
            shared_.expect(false);
            return;
        }
        outcome_.wasAbandoned = wasAbandoned;
        outcome_.end = shared_.clock.now();
        request_->open.take();
    }

    const std::shared_ptr<Request> request_;
    TaskOutcome& outcome_;
    const Role role_;
    std::uint32_t segmentsLeft_;
    Shared& shared_;
};

/// One client. Threads: one.
class Client {
public:
    Client(Shared& shared, std::uint64_t number)
        : shared_(shared),
          options_(shared.options),
          scheduler_(*shared.scheduler),
          random_(options_.seed * 1'000'003 + number) {}

    void send(std::size_t requestCount);
    const StormReport& report() const { return report_; }
    const std::vector<std::pair<CancelMoment, Duration>>& times() const { return times_; }

private:
    std::uint64_t draw(std::uint64_t below) { return random_() % below; }
    bool drawShare(double share) {
        return std::uniform_real_distribution<double>(0, 1)(random_) < share;
    }
    std::shared_ptr<Request> makeRequest();
    TaskSpec plainSpec(const Request& request);
    bool enqueue(const std::shared_ptr<Request>& request, const TaskSpec& spec, Role role);
    bool enqueueSubject(const std::shared_ptr<Request>& request, const TaskSpec& spec, Role role);
    void enqueuePlain(const std::shared_ptr<Request>& request);
    void cancel(Request& request);
    void sendAndCancel(const std::shared_ptr<Request>& request, CancelMoment moment);
    void cancelSuspended(const std::shared_ptr<Request>& request);
    void cancelOver(const std::shared_ptr<Request>& request);
    void settle(const std::shared_ptr<Request>& request);
    void count(const Request& request, const TaskOutcome& task);
    void yieldAWhile();

    Shared& shared_;
    const StormOptions& options_;
    Scheduler& scheduler_;
    std::mt19937_64 random_;
    std::deque<std::shared_ptr<Request>> open_;
    StormReport report_;
    std::vector<std::pair<CancelMoment, Duration>> times_;
};

void Client::send(std::size_t requestCount) {
    for (std::size_t i = 0; i < requestCount; ++i) {
        const std::shared_ptr<Request> request = makeRequest();
        if (drawShare(options_.cancelledShare)) {
            sendAndCancel(request, static_cast<CancelMoment>(1 + draw(kCancelMomentCount)));
        } else {
            enqueuePlain(request);
        }
        request->open.take();
        open_.push_back(request);
        if (open_.size() > kOpenRequests) {
            settle(open_.front());
            open_.pop_front();
        }
        if (draw(64) == 0) {
            shared_.expect(scheduler_.stats().lanes.size() == 2);
        }
    }
    for (const std::shared_ptr<Request>& request : open_) {
        settle(request);
    }
    open_.clear();
}

std::shared_ptr<Request> Client::makeRequest() {
    auto request = std::make_shared<Request>();
    request->id = RequestId{shared_.lastRequest.fetch_add(1) + 1};
    ++report_.requests;
    return request;
}

TaskSpec Client::plainSpec(const Request& request) {
    TaskSpec spec;
    spec.stage = "storm";
    spec.request = request.id;
    spec.lane = LaneId{static_cast<std::uint32_t>(draw(2))};
    spec.urgency = static_cast<Urgency>(1 + draw(3));
    spec.bytes = draw(4) == 0 ? draw(kBudget + 1) : draw(100);
    spec.shapeBucket = static_cast<std::uint32_t>(draw(2));
    spec.maxJoined = draw(2) == 0 ? 8 : 1;
    spec.stop = request.stop.get_token();
    const TimePoint soon = shared_.clock.now() + std::chrono::microseconds(draw(1000));
    if (draw(16) == 0) {
        spec.expiry = soon;
    } else if (draw(16) == 0) {
        spec.deadline = soon;
        spec.onLate = OnLate::Drop;
    }
    return spec;
}

bool Client::enqueue(const std::shared_ptr<Request>& request, const TaskSpec& spec, Role role) {
    BIFOCAL_ASSERT(request->taskCount < kMostTasks);
    const std::size_t index = request->taskCount++;
    const bool isStopped = request->stop.stop_requested();
    request->open.add();
    const auto segmentCount = static_cast<std::uint32_t>(1 + draw(3));
    const Result<TaskId> id = scheduler_.enqueue(
        spec, std::make_shared<StormTask>(request, index, role, segmentCount, shared_));
    if (id) {
        request->tasks[index].id = *id;
        request->tasks[index].isAccepted = true;
        shared_.expect(!isStopped);
        return true;
    }
    request->open.take();
    shared_.expect(id.error().code == (isStopped ? ErrorCode::Cancelled : ErrorCode::Busy));
    report_.refused += isStopped ? 0 : 1;
    return false;
}

/// A task that must begin, and then cannot end by itself; returns when it has begun.
bool Client::enqueueSubject(const std::shared_ptr<Request>& request,
                            const TaskSpec& spec,
                            Role role) {
    if (!enqueue(request, spec, role)) {
        return false;
    }
    request->begun.waitForZero();
    return true;
}

void Client::enqueuePlain(const std::shared_ptr<Request>& request) {
    const bool fails = drawShare(options_.failingShare);
    const std::uint64_t taskCount = 1 + draw(3);
    for (std::uint64_t i = 0; i < taskCount; ++i) {
        enqueue(request, plainSpec(*request), fails && i == 0 ? Role::Failing : Role::Plain);
    }
}

void Client::cancel(Request& request) {
    const std::uint64_t style = draw(4);
    request.namesTasks = style != 0;
    request.cancelled = shared_.clock.now();
    request.stop.request_stop();
    if (style == 1) {
        for (std::size_t i = 0; i < request.taskCount; ++i) {
            scheduler_.cancel(request.tasks[i].id);
        }
    } else if (style > 1) {
        scheduler_.cancelRequest(request.id);
    }
}

void Client::sendAndCancel(const std::shared_ptr<Request>& request, CancelMoment moment) {
    request->moment = moment;
    TaskSpec subject = plainSpec(*request);
    subject.bytes = 1;
    subject.maxJoined = 1;
    subject.expiry.reset();
    subject.deadline.reset();
    switch (moment) {
        case CancelMoment::BeforeEnqueue:
            cancel(*request);
            enqueuePlain(request);
            return;
        case CancelMoment::Queued: enqueuePlain(request); break;
        case CancelMoment::Claimed: {
            enqueueSubject(request, subject, Role::Endless);
            TaskSpec whole = plainSpec(*request);
            whole.bytes = kBudget;
            enqueue(request, whole, Role::Plain);
            break;
        }
        case CancelMoment::Running:
            enqueuePlain(request);
            enqueueSubject(request, subject, Role::Endless);
            break;
        case CancelMoment::Boundary:
            request->namesTasks = false;
            if (!enqueue(request, subject, Role::StopsItself)) {
                request->moment.reset();
            }
            return;
        case CancelMoment::Suspended:
            subject.lane = LaneId{kTextLane};
            subject.urgency = Urgency::Batch;
            subject.bytes =
                0;  // nobody's claim may have to wait for it: the visitor is behind that
            if (enqueueSubject(request, subject, Role::Endless)) {
                cancelSuspended(request);
            } else {
                request->moment.reset();
            }
            return;
        case CancelMoment::Over:
            enqueuePlain(request);
            cancelOver(request);
            return;
    }
    yieldAWhile();
    cancel(*request);
}

/// The lane has one worker: when the visitor is there, the request has stepped aside.
void Client::cancelSuspended(const std::shared_ptr<Request>& request) {
    const std::shared_ptr<Request> visitor = makeRequest();
    TaskSpec spec;
    spec.stage = "visit";
    spec.request = visitor->id;
    spec.lane = LaneId{kTextLane};
    spec.stop = visitor->stop.get_token();
    if (!enqueueSubject(visitor, spec, Role::Visitor)) {
        request->moment = CancelMoment::Running;
    }
    cancel(*request);
    visitor->held.take();
    visitor->open.take();
    settle(visitor);
}

void Client::cancelOver(const std::shared_ptr<Request>& request) {
    request->open.take();
    request->open.waitForZero();
    request->open.add();  // settle() waits for it, too
    shared_.expect(scheduler_.cancelRequest(request->id) == 0);
    for (std::size_t i = 0; i < request->taskCount; ++i) {
        shared_.expect(!scheduler_.cancel(request->tasks[i].id));
    }
}

void Client::settle(const std::shared_ptr<Request>& request) {
    request->open.waitForZero();
    if (request->moment) {
        ++report_.cancelled[static_cast<std::size_t>(*request->moment) - 1];
    }
    report_.failed += request->error ? 1 : 0;
    for (std::size_t i = 0; i < request->taskCount; ++i) {
        count(*request, request->tasks[i]);
    }
}

void Client::count(const Request& request, const TaskOutcome& task) {
    shared_.expect(task.endCount.load() == (task.isAccepted ? 1U : 0U));
    report_.accepted += task.isAccepted ? 1 : 0;
    report_.completed += task.isAccepted && !task.wasAbandoned ? 1 : 0;
    report_.abandoned += task.wasAbandoned ? 1 : 0;
    if (!task.wasAbandoned) {
        return;
    }
    const bool isBegun = task.isBegun.load();
    if (!isBegun) {
        report_.wasted += Duration(task.device.load());
    }
    const bool isTimed = options_.onCancelled && request.namesTasks && request.cancelled &&
                         task.end >= *request.cancelled;
    if (isTimed) {
        const bool wasAside = request.moment == CancelMoment::Suspended;
        times_.emplace_back(!isBegun   ? CancelMoment::Queued
                            : wasAside ? CancelMoment::Suspended
                                       : CancelMoment::Running,
                            task.end - *request.cancelled);
    }
}

void Client::yieldAWhile() {
    for (std::uint64_t left = draw(8); left > 0; --left) {
        std::this_thread::yield();
    }
}

void add(StormReport& total, const StormReport& part) {
    total.requests += part.requests;
    for (std::size_t i = 0; i < kCancelMomentCount; ++i) {
        total.cancelled[i] += part.cancelled[i];
    }
    total.failed += part.failed;
    total.accepted += part.accepted;
    total.refused += part.refused;
    total.completed += part.completed;
    total.abandoned += part.abandoned;
    total.wasted += part.wasted;
}

/// One task that needs everything, in each class that each lane serves.
void askForWholeBudget(Scheduler& scheduler) {
    for (const std::uint32_t lane : {kTextLane, kImageLane}) {
        for (const Urgency urgency : {Urgency::Interactive, Urgency::Prefetch, Urgency::Batch}) {
            std::latch over(1);
            TaskSpec spec;
            spec.stage = "whole";
            spec.lane = LaneId{lane};
            spec.urgency = urgency;
            spec.bytes = kBudget;
            const auto queued = scheduler.enqueue(
                spec, makeWork([&over](const WorkerContext&) { over.count_down(); }, {}));
            BIFOCAL_ASSERT(queued.has_value());
            over.wait();
        }
    }
}

/// Every worker at the same time: what they did before is over, and nobody is lost.
SchedulerStats callTheRoll(Scheduler& scheduler, const SchedulerConfig& config) {
    std::ptrdiff_t workerCount = 0;
    for (const LaneConfig& lane : config.lanes) {
        workerCount += static_cast<std::ptrdiff_t>(lane.workers.size());
    }
    std::latch present(workerCount);
    std::latch seen(1);
    std::latch gone(workerCount);
    for (std::uint32_t lane = 0; lane < config.lanes.size(); ++lane) {
        for (const WorkerConfig& worker : config.lanes[lane].workers) {
            TaskSpec spec;
            spec.stage = "roll";
            spec.lane = LaneId{lane};
            spec.urgency = worker.mostUrgent;
            const auto queued = scheduler.enqueue(spec,
                                                  makeWork(
                                                      [&](const WorkerContext&) {
                                                          present.count_down();
                                                          seen.wait();
                                                          gone.count_down();
                                                      },
                                                      {}));
            BIFOCAL_ASSERT(queued.has_value());
        }
    }
    present.wait();
    SchedulerStats stats = scheduler.stats();
    seen.count_down();
    gone.wait();
    return stats;
}

}  // namespace

struct RequestStorm::State : Shared {
    using Shared::Shared;
};

RequestStorm::RequestStorm(StormOptions options, const Clock& clock, Tracer& tracer)
    : state_(std::make_unique<State>(std::move(options), clock, tracer)) {}

RequestStorm::~RequestStorm() = default;

void RequestStorm::send(std::size_t requestCount) {
    State& state = *state_;
    const std::size_t clientCount = std::max<std::size_t>(state.options.clientCount, 1);
    std::vector<std::jthread> threads;
    for (std::size_t i = 0; i < clientCount; ++i) {
        const std::size_t share = requestCount / clientCount + (i < requestCount % clientCount);
        const std::uint64_t number = state.lastRequest.load() * clientCount + i;
        threads.emplace_back([&state, share, number] {
            Client client(state, number);
            client.send(share);
            const std::lock_guard lock(state.mutex);
            add(state.report, client.report());
            for (const auto& [moment, time] : client.times()) {
                state.options.onCancelled(moment, time);
            }
        });
    }
}

StormReport RequestStorm::report() {
    State& state = *state_;
    askForWholeBudget(*state.scheduler);
    SchedulerStats stats = state.scheduler->stats();
    if (state.options.maxSlots == 0) {  // else the workers may not all run at once
        stats = callTheRoll(*state.scheduler, configOf(0));
        state.report.reservedBytes = stats.memory.reservedBytes;
    }
    for (const LaneStats& lane : stats.lanes) {
        for (const std::uint32_t count : lane.ready) {
            state.report.readyTasks += count;
        }
    }
    state.report.isWithinBudget = stats.memory.peakReservedBytes <= kBudget;
    state.report.violations = state.violations.load();
    return state.report;
}

}  // namespace bifocal::schedule
