// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/base/clock.h"
#include "core/base/ids.h"
#include "core/base/tracer.h"

#include <array>
#include <cstdint>
#include <deque>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace bifocal::profile {

struct Quantiles {
    std::uint64_t count = 0;
    double p50Ms = 0;
    double p95Ms = 0;
    double p99Ms = 0;
    double maxMs = 0;
};

/// How a request ended.
enum class Outcome : std::uint8_t { Done = 1, Failed, Cancelled, Superseded };
const char* toString(Outcome outcome);

/// One request and where its time went: a waterfall. Threads: value.
struct RequestTrace {
    RequestId request;
    std::string label;  ///< what a person would call it: “flower” + picture, index batch 8
    Urgency urgency = Urgency::Interactive;
    std::optional<Outcome> outcome;  ///< none: still running
    TimePoint begin;
    TimePoint end;
    std::vector<Span> spans;  ///< in order of their end

    double totalMs() const;
};

/// Per stage and class, since start.
struct StageStats {
    std::string stage;
    Urgency urgency = Urgency::Interactive;
    SpanKind kind = SpanKind::Execute;
    Quantiles quantiles;
    std::uint64_t itemCount = 0;
};

/// Bytes at one moment; empty optionals where there is no device.
struct MemoryGauges {
    std::uint64_t ledgerBytes = 0;  ///< persistent + reserved
    std::uint64_t ledgerBudgetBytes = 0;
    std::uint64_t allocatorBytes = 0;  ///< held by the tensor library
    std::uint64_t residentBytes = 0;   ///< RSS of this process
    std::optional<std::uint64_t> vramUsedBytes;
    std::optional<std::uint64_t> vramTotalBytes;
};

/// One tick of the live charts.
struct Sample {
    TimePoint time;
    Quantiles interactive;  ///< of the prompts that ended in the last `kSampleWindow`
    std::array<std::uint32_t, 3> readyCount{};
    std::array<std::uint32_t, 3> runningCount{};
    double meanBatch = 0;  ///< items per Execute span of an encoder in the window
    MemoryGauges memory;
};

inline constexpr Duration kSampleWindow = std::chrono::seconds(10);

/// Collects spans and requests; answers what the charts and the exports ask.
/// Threads: safe. record() costs a short lock-free write or an uncontended lock and allocates
/// nothing after warm-up.
class Profiler final : public Tracer {
public:
    struct Options {
        std::size_t spanCapacity = 1U << 16U;  ///< ring: the oldest are overwritten
        std::size_t requestCapacity = 512;
    };

    explicit Profiler(const Clock& clock);
    Profiler(const Clock& clock, Options options);
    ~Profiler() override;

    void record(const Span& span) override;

    void beginRequest(RequestId request, std::string label, Urgency urgency);
    /// Also records the Total span.
    void endRequest(RequestId request, Outcome outcome);

    /// Newest first.
    std::vector<RequestTrace> recentRequests(std::size_t limit) const;
    std::optional<RequestTrace> request(RequestId id) const;
    std::vector<StageStats> stages() const;
    /// Total time of requests of a class: since start, and within the window before `now`.
    Quantiles totals(Urgency urgency) const;
    Quantiles recentTotals(Urgency urgency, Duration window) const;

    /// Keeps the newest 600 samples.
    void addSample(const Sample& sample);
    std::vector<Sample> samples() const;

    /// Trace Event Format ("traceEvents": complete events per lane worker, counters for queue and
    /// memory), readable by chrome://tracing and Perfetto. Names are escaped.
    std::string chromeTrace() const;
    /// request,label,class,stage,kind,lane,worker,items,begin_us,duration_us — RFC 4180.
    std::string csv() const;

private:
    struct State;
    std::unique_ptr<State> state_;
};

/// RSS of this process from /proc/self/statm; 0 when it cannot be read.
std::uint64_t residentBytes();
/// Largest RSS since start (VmHWM).
std::uint64_t peakResidentBytes();

/// A device's name and memory through the vendor's management library, opened at run time.
struct DeviceMemory {
    std::string name;
    std::uint64_t usedBytes = 0;
    std::uint64_t totalBytes = 0;
};
/// None when there is no such library or no device; `why` (when given) says which.
std::optional<DeviceMemory> readDeviceMemory(std::string* why = nullptr);

}  // namespace bifocal::profile
