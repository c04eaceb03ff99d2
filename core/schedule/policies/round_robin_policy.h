// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/schedule/policy.h"

namespace bifocal::schedule {

/// "round_robin", see makePolicy(). A flow is a class and a modality, numbered by urgency, then
/// video, image, speech, text, none; a prompt of several belongs to the first of them. After flow f
/// the next one in the circle that has work is served, the first to arrive of it. The queue tells
/// the modality, the key the class. Threads: compatible.
class RoundRobinPolicy final : public Policy {
public:
    std::unique_ptr<Policy> clone() const override {
        return std::make_unique<RoundRobinPolicy>(*this);
    }
    const char* name() const override { return "round_robin"; }
    ClassOrder classOrder() const override { return ClassOrder::Ignored; }
    std::uint64_t key(const TaskSpec& task, TimePoint now) override;
    std::size_t queueCount() const override { return kModalityCount; }
    std::size_t queueOf(const TaskSpec& task) const override;
    bool goesBefore(const QueueHead& a, const QueueHead& b, TimePoint now) const override;
    void onDispatch(const TaskSpec& task, Duration waited, TimePoint now) override;

private:
    static constexpr std::size_t kModalityCount = 5;
    static constexpr std::size_t kFlowCount = 3 * kModalityCount;

    // Turns until the flow is served.
    std::size_t distanceTo(const QueueHead& head) const;

    std::size_t next_ = 0;  // flow whose turn it is
};

}  // namespace bifocal::schedule
