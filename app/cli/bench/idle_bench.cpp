// SPDX-License-Identifier: Apache-2.0
#include "app/cli/bench/idle_bench.h"

#include "app/cli/bench/dispatch_peers.h"
#include "app/cli/load/open_loop.h"
#include "core/base/assert.h"
#include "core/schedule/scheduler.h"

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstdint>
#include <ctime>
#include <filesystem>
#include <fstream>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <semaphore>
#include <string>
#include <utility>
#include <vector>

namespace bifocal::cli {
namespace {

constexpr Duration kGap = std::chrono::microseconds(300);
constexpr double kWakeP50TargetUs = 10;
constexpr double kWakeP99TargetUs = 50;
constexpr double kWakeupsTarget = 2;       // per second and lane
constexpr double kIdleCpuTarget = 0.0005;  // what a percentage without decimals shows as 0

double toUs(Duration time) {
    return std::chrono::duration<double, std::micro>(time).count();
}

/// Notes when it was run. Threads: safe; one run at a time.
class NotedWork final : public schedule::Work {
public:
    void run(const schedule::WorkerContext& /*worker*/) override { note(); }
    void abandon(schedule::Abandoned /*why*/) override { note(); }

    void note() {
        when_ = SteadyClock().now();
        over_.release();
    }
    TimePoint await() {
        over_.acquire();
        return when_;
    }

private:
    TimePoint when_;
    std::binary_semaphore over_{0};
};

/// Adds times from a call of `enqueue` to the run that it leads to, at the times of a plan: a
/// worker that is awake late does not make the next wait shorter.
void addWakeTimes(std::size_t count,
                  NotedWork& work,
                  const std::function<void()>& enqueue,
                  std::vector<double>& times) {
    SteadyPacer pacer;
    const TimePoint begin = pacer.now();
    for (std::size_t i = 0; i < count; ++i) {
        pacer.waitUntil(begin + kGap * static_cast<Duration::rep>(i + 1));
        const TimePoint sent = pacer.now();
        enqueue();
        times.push_back(toUs(work.await() - sent));
    }
}

schedule::LaneConfig laneOf(const char* name, std::size_t workerCount) {
    schedule::LaneConfig lane;
    lane.name = name;
    lane.workers.resize(workerCount);
    return lane;
}

/// Times that each thread of this process was given the processor, by its id; empty when the system
/// does not say.
std::map<std::string, std::uint64_t> switchCounts() {
    std::map<std::string, std::uint64_t> counts;
    std::error_code code;
    for (const auto& entry : std::filesystem::directory_iterator("/proc/self/task", code)) {
        std::ifstream status(entry.path() / "status");
        std::string word;
        while (status >> word) {
            if (word == "voluntary_ctxt_switches:" || word == "nonvoluntary_ctxt_switches:") {
                std::uint64_t count = 0;
                status >> count;
                counts[entry.path().filename().string()] += count;
            }
        }
    }
    return counts;
}

double processorSeconds() {
    timespec time{};
    ::clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &time);
    return static_cast<double>(time.tv_sec) + static_cast<double>(time.tv_nsec) * 1e-9;
}

}  // namespace

void measureWake(std::size_t count, BenchReport& report) {
    const SteadyClock clock;
    NullTracer tracer;
    schedule::SchedulerConfig config;
    config.lanes.push_back(laneOf("bench", 1));
    const auto scheduler =
        schedule::makeScheduler(config, schedule::makeDeadlinePolicy(), clock, tracer);
    const auto work = std::make_shared<NotedWork>();
    schedule::TaskSpec spec;
    spec.stage = "wake";
    const auto enqueue = [&] {
        const auto queued = scheduler->enqueue(spec, work);
        BIFOCAL_ASSERT(queued.has_value());
    };
    MutexQueuePool pool(1);
    const std::function<void()> peerWork = [&work] { work->note(); };
    std::vector<double> times;
    std::vector<double> peerTimes;
    constexpr std::size_t kTurns = 10;  // what disturbs the machine for a while disturbs both
    for (std::size_t turn = 0; turn < kTurns; ++turn) {
        addWakeTimes(count / kTurns, *work, enqueue, times);
        addWakeTimes(
            count / kTurns, *work, [&] { pool.enqueue(0, peerWork); }, peerTimes);
    }
    report.rows.push_back({"s3_p50",
                           quantile(times, 0.50),
                           "us",
                           Better::Lower,
                           kWakeP50TargetUs,
                           BenchPeer{"mutex + condition", quantile(peerTimes, 0.50)}});
    report.rows.push_back({"s3_p99",
                           quantile(times, 0.99),
                           "us",
                           Better::Lower,
                           kWakeP99TargetUs,
                           BenchPeer{"mutex + condition", quantile(peerTimes, 0.99)}});
}

void measureIdle(double seconds, BenchReport& report) {
    const SteadyClock clock;
    NullTracer tracer;
    const auto others = switchCounts();
    schedule::SchedulerConfig config;
    config.lanes = {laneOf("text", 1), laneOf("image", 3), laneOf("pool", 4)};
    const auto scheduler =
        schedule::makeScheduler(config, schedule::makeDeadlinePolicy(), clock, tracer);
    SteadyPacer pacer;
    const Duration length(static_cast<Duration::rep>(seconds * 1e9));
    pacer.waitUntil(pacer.now() + length / 10);  // until every thread sleeps

    const auto before = switchCounts();
    const double processorBefore = processorSeconds();
    const TimePoint begin = pacer.now();
    pacer.waitUntil(begin + length);
    const double processor = processorSeconds() - processorBefore;
    const double elapsed = toUs(pacer.now() - begin) * 1e-6;
    const auto after = switchCounts();

    std::uint64_t wakeups = 0;
    std::size_t threadCount = 0;
    for (const auto& [thread, count] : after) {
        if (!others.contains(thread) && before.contains(thread)) {
            wakeups += count - before.at(thread);
            ++threadCount;
        }
    }
    if (threadCount == 0) {
        report.leftOut.push_back({"s4_wakeups", "the system does not count them"});
    } else {
        report.rows.push_back(
            {"s4_wakeups",
             static_cast<double>(wakeups) / elapsed / static_cast<double>(config.lanes.size()),
             "per s, lane",
             Better::Lower,
             kWakeupsTarget});
    }
    report.rows.push_back(
        {"s4_cpu_share", processor / elapsed, "cores", Better::Lower, kIdleCpuTarget});
}

}  // namespace bifocal::cli
