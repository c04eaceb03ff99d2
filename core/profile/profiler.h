// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/base/clock.h"
#include "core/base/ids.h"
#include "core/base/tracer.h"

#include <array>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <memory>
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
    std::string label;  ///< what a person would call it: picture + “flower”, index stamps
    Urgency urgency = Urgency::Interactive;
    std::optional<Outcome> outcome;  ///< none: still running
    TimePoint begin;
    TimePoint end;
    std::vector<Span> spans;  ///< in order of their end

    double totalMs() const;
};

/// The stage of a Total span: "request" for Done, "request_failed", "request_cancelled",
/// "request_superseded".
const char* totalStage(Outcome outcome);
/// The outcome that such a stage stands for; none for another stage.
std::optional<Outcome> outcomeOf(std::string_view stage);

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
    std::uint64_t ledgerBytes = 0;    ///< persistent + reserved
    std::uint64_t reservedBytes = 0;  ///< of it: by what runs
    std::uint64_t ledgerBudgetBytes = 0;
    std::uint64_t allocatorBytes = 0;            ///< held by the tensor library
    std::uint64_t residentBytes = 0;             ///< RSS of this process
    std::optional<std::uint64_t> vramUsedBytes;  ///< by all programs
    std::optional<std::uint64_t> vramTotalBytes;
    std::uint64_t vramOthersBytes = 0;  ///< of it: by other programs, where that is known
    bool isSimulated = false;           ///< of a simulated device, for demonstrations and tests
    bool isLost = false;                ///< the device no longer answers
};

/// One tick of the live charts. The caller fills it: `interactive` from recentTotals(), `meanBatch`
/// from meanBatch(), the counts from the scheduler's statistics.
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
/// Threads: safe. record() takes one lock that no reader holds for longer than the copy of a few
/// spans, and allocates only for the first span of a stage's name.
class Profiler final : public Tracer {
public:
    struct Options {
        std::size_t spanCapacity = 1U << 16U;  ///< ring: the oldest are overwritten
        /// Requests kept; those that ended first are forgotten first.
        std::size_t requestCapacity = 512;
    };

    explicit Profiler(const Clock& clock);
    Profiler(const Clock& clock, Options options);
    Profiler(const Profiler&) = delete;
    Profiler& operator=(const Profiler&) = delete;
    ~Profiler() override;

    void record(const Span& span) override;

    /// Before the request's first span. A second call with one id is ignored. The text is kept as
    /// it is.
    void beginRequest(RequestId request, std::string label, Urgency urgency);
    /// Also records the Total span (stage totalStage(), no lane). Ignored when the request is
    /// unknown or has ended.
    void endRequest(RequestId request, Outcome outcome);

    /// The one that began last comes first, each with its newest `spanLimit` spans. Spans that the
    /// ring has overwritten are missing.
    std::vector<RequestTrace> recentRequests(std::size_t limit,
                                             std::size_t spanLimit = SIZE_MAX) const;
    std::optional<RequestTrace> request(RequestId id) const;
    /// Appends what was recorded after `cursor` (0: from the beginning) and is still there to
    /// `out`, oldest first; the cursor for the next call. What a live chart reads: it costs as much
    /// as what is new.
    std::uint64_t spansSince(std::uint64_t cursor, std::vector<Span>& out) const;
    /// Spans of every request that overlap [begin, end], newest first.
    std::vector<Span> spansBetween(TimePoint begin, TimePoint end) const;
    std::vector<StageStats> stages() const;
    /// Total time of the requests of a class that ended with Done: since start (within 0.4 %), and
    /// exactly, of those that ended within the window before now (at most the last 4,096).
    Quantiles totals(Urgency urgency) const;
    Quantiles recentTotals(Urgency urgency, Duration window) const;
    /// Items per Execute span of `stage` that ended within the window before now; 0 for none.
    double meanBatch(std::string_view stage, Duration window) const;

    /// Keeps the newest 600 samples.
    void addSample(const Sample& sample);
    std::vector<Sample> samples() const;
    /// Those after `time`.
    std::vector<Sample> samplesSince(TimePoint time) const;
    /// When the profiler was made.
    TimePoint epoch() const;

    /// Trace Event Format, readable by chrome://tracing and Perfetto: complete events on one named
    /// thread per lane worker for Execute, asynchronous events for Queue and Total (they overlap),
    /// counters for queue and memory from the samples. Microseconds since the profiler was made.
    /// Names are escaped; bytes that are not UTF-8 become U+FFFD.
    std::string chromeTrace() const;
    /// request,label,class,stage,kind,lane,worker,items,begin_us,duration_us,bytes,policy_key,waited_for
    /// — RFC 4180, one line per span, oldest first.
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

/// The opened library and its first device, for whoever reads more than once.
/// Threads: safe. Owns: the library's handle.
class DeviceMemoryProbe {
public:
    DeviceMemoryProbe();
    DeviceMemoryProbe(const DeviceMemoryProbe&) = delete;
    DeviceMemoryProbe& operator=(const DeviceMemoryProbe&) = delete;
    ~DeviceMemoryProbe();

    /// None when there is no such library or no device; `why` (when given) says which.
    std::optional<DeviceMemory> read(std::string* why = nullptr) const;

private:
    struct Library;
    std::unique_ptr<Library> library_;
    std::string why_;
};

/// One reading by a probe of its own: opens and closes the library, tens of milliseconds with one.
std::optional<DeviceMemory> readDeviceMemory(std::string* why = nullptr);

}  // namespace bifocal::profile
