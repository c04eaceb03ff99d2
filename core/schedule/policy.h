// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/base/result.h"
#include "core/schedule/task.h"

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

namespace bifocal::schedule {

/// How a lane chooses between classes before it asks the policy for the order.
enum class ClassOrder : std::uint8_t {
    Guarded = 1,  ///< most urgent class first; each less urgent one has its share of device time
    Strict,       ///< most urgent class first, always: what is less urgent can wait for ever
    Ignored,      ///< one order over all classes
};

/// The first task of one of a lane's queues. Threads: value.
struct QueueHead {
    std::uint64_t key = 0;       ///< as Policy::key() gave it
    std::uint64_t sequence = 0;  ///< place in the order of arrival at the lane
    std::size_t queue = 0;       ///< as Policy::queueOf() gave it
};

/// The order in which the tasks of a lane are served. A task gets one key when it is queued, which
/// never changes; a queue is a heap by (key, sequence). Only the heads of queues are compared
/// anew at each dispatch, so a lane pays O(log n + queues) for an order that may change with time.
/// Threads: compatible. Each lane has its own clone and calls it with its lock held: calls must be
/// short, and allocate nothing.
class Policy {
public:
    Policy() = default;
    Policy& operator=(const Policy&) = delete;
    virtual ~Policy() = default;

    /// A policy in the same state that shares nothing with this one.
    virtual std::unique_ptr<Policy> clone() const = 0;
    /// Stable, lower case, as in PolicyConfig::name. A literal.
    virtual const char* name() const = 0;
    /// Never changes.
    virtual ClassOrder classOrder() const { return ClassOrder::Guarded; }

    /// Called once for each task, when it is queued; the smallest of its queue is first, of equals
    /// the first to arrive.
    virtual std::uint64_t key(const TaskSpec& task, TimePoint now) = 0;
    /// Queues the policy needs within each class. Never changes.
    virtual std::size_t queueCount() const { return 1; }
    /// Queue of a task: below queueCount(), the same whenever it is asked.
    virtual std::size_t queueOf(const TaskSpec& /*task*/) const { return 0; }
    /// Whether `a` is served before `b` at `now`. Within a queue this is the order of the heap;
    /// heads of two classes are compared only where the class order is Ignored.
    virtual bool goesBefore(const QueueHead& a, const QueueHead& b, TimePoint now) const;

    /// The task is taken from its queue to be run, `waited` after it was queued. Also called for
    /// each task that joins it; not for a task that is cancelled or expires.
    virtual void onDispatch(const TaskSpec& /*task*/, Duration /*waited*/, TimePoint /*now*/) {}
    /// `now` when a task of this class may begin at once; else the earliest time when it may.
    virtual TimePoint mayBeginAt(Urgency /*urgency*/, TimePoint now) const { return now; }

protected:
    Policy(const Policy&) = default;
};

/// One value for each class. Threads: value.
template <typename T>
struct PerClass {
    T interactive{};
    T prefetch{};
    T batch{};

    T& of(Urgency urgency) { return this->*memberOf(urgency); }
    const T& of(Urgency urgency) const { return this->*memberOf(urgency); }

private:
    static constexpr T PerClass::*memberOf(Urgency urgency) {
        return urgency == Urgency::Interactive ? &PerClass::interactive
               : urgency == Urgency::Prefetch  ? &PerClass::prefetch
                                               : &PerClass::batch;
    }
};

/// Slack of a class: how long after its arrival a task without a deadline is due.
inline constexpr Duration kInteractiveSlack = std::chrono::milliseconds(100);
inline constexpr Duration kPrefetchSlack = std::chrono::seconds(1);
inline constexpr Duration kBatchSlack = std::chrono::seconds(30);

/// Of "deadline" and of "adaptive_lifo". Threads: value.
struct DeadlineConfig {
    PerClass<Duration> slack{kInteractiveSlack, kPrefetchSlack, kBatchSlack};  ///< 0 to 1 day
};

/// Of "seed_decay". The first four figures are those of the mission's first source document, which
/// names speech without a weight (0.2 is ours). Threads: value.
struct SeedDecayConfig {
    /// A prompt has the largest weight of what it is made of; 0 to 1000.
    double textWeight = 0.2;
    double speechWeight = 0.2;
    double imageWeight = 0.7;
    double videoWeight = 1.0;
    PerClass<double> urgency{1.0, 0.3, 0.3};  ///< factor; 0 to 1000
    PerClass<double> decay{0.9, 0.9, 0.9};    ///< factor per second of age; 0.0001 to 0.9999
    bool isGuarded = false;  ///< false: one order over all classes, as in the source
};

/// Of "static_partition". Threads: value.
struct StaticPartitionConfig {
    Duration frame = std::chrono::milliseconds(200);  ///< 1 ms to 1 minute
    /// Of each frame, in the order of the classes; 0.01 to 1, their sum at most 1.
    PerClass<double> share{0.5, 0.1, 0.4};
};

/// Of "adaptive_lifo", with DeadlineConfig. Threads: value.
struct AdaptiveLifoConfig {
    /// Waiting time that a class may keep to; 1 ms to 1 day.
    PerClass<Duration> target{kInteractiveSlack, kPrefetchSlack, kBatchSlack};
    Duration interval = std::chrono::seconds(1);  ///< of waiting longer; 1 ms to 1 hour
};

/// A policy by name, and the parameters of all of them. Threads: value.
struct PolicyConfig {
    std::string name = "deadline";
    DeadlineConfig deadline;
    SeedDecayConfig seedDecay;
    StaticPartitionConfig staticPartition;
    AdaptiveLifoConfig adaptiveLifo;
};

/// The policy that config.name names:
/// - "deadline": within a class the earlier of the task's own deadline and its arrival + the slack
///   of its class, so that no task falls behind later arrivals for longer than its slack.
/// - "seed_decay": exactly the order of continuously re-evaluating weight · urgency · decay^age,
///   largest first, of equals (but for rounding) the first to arrive; a weight of zero comes last.
///   Exact for 9 years either side of `epoch`. Newest first within a class: the wait of the oldest
///   has no bound.
/// - "round_robin": one turn for each class and modality that has work, over all classes.
/// - "fifo": order of arrival, over all classes.
/// - "static_partition": a class begins work only in its own window of each frame, counted from
///   `epoch`, even when nobody else has any; inside it order of arrival. What was begun is not
///   interrupted at the window's end.
/// - "strict_priority": most urgent class first, always; inside it order of arrival.
/// - "sjf": within a class the smallest predicted cost first.
/// - "adaptive_lifo": "deadline"; but tasks that arrive while their class is overloaded go in front
///   of it, newest first. A class is overloaded once every wait of an interval was above its target
///   (CoDel's rule), until an interval has neither such a wait nor more arrivals than dispatches.
/// InvalidArgument names the policy when it is unknown, or the parameter (of any policy) that is
/// out of range.
Result<std::unique_ptr<Policy>> makePolicy(const PolicyConfig& config, TimePoint epoch);
/// What config.name may be, the default first.
std::vector<std::string_view> policyNames();

std::unique_ptr<Policy> makeDeadlinePolicy();                  ///< with the standard slack
std::unique_ptr<Policy> makeFifoPolicy();                      ///< "fifo"
std::unique_ptr<Policy> makeSeedDecayPolicy(TimePoint epoch);  ///< as the source has it

/// One number of PolicyConfig, for settings, command lines and the tuner. Threads: value.
struct PolicyParameter {
    const char* name = "";  ///< "seed_decay.decay.batch"
    const char* unit = "";  ///< "ms", or empty
    double lowest = 0;      ///< allowed, inclusive
    double highest = 0;
};

/// Every parameter, in the order of the structs above. A flag is a number that is 0 or 1.
std::vector<PolicyParameter> policyParameters();
/// NotFound: there is no such parameter.
Result<double> policyParameter(const PolicyConfig& config, std::string_view name);
/// NotFound: there is no such parameter; InvalidArgument: out of range, nothing was changed.
Result<void> setPolicyParameter(PolicyConfig& config, std::string_view name, double value);

/// A policy ready to choose. Threads: value.
struct PolicyPreset {
    const char* id = "";     ///< stable, lower case
    const char* title = "";  ///< English, a few words
    const char* note = "";   ///< English: what it does, whether that is good or not
    PolicyConfig config;
};

/// The default, the source's formula with the decay constants that it advises, and the baselines.
std::vector<PolicyPreset> policyPresets();

}  // namespace bifocal::schedule
