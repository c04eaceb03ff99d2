// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

namespace bifocal::torch_backend {

/// Makes LibTorch's CPU allocator count; what it gave out before is not counted. Threads: safe; any
/// number of calls.
void startCounting();

/// Raises `peak` to the most bytes that the calling thread took from LibTorch's CPU allocator, and
/// held at once, while this lived; 0 before startCounting(). What OpenMP threads take themselves
/// and what oneDNN keeps between calls is not seen. Threads: lane(the one that made it).
class PeakMeter {
public:
    explicit PeakMeter(std::uint64_t& peak);
    PeakMeter(const PeakMeter&) = delete;
    PeakMeter& operator=(const PeakMeter&) = delete;
    ~PeakMeter();

private:
    std::uint64_t& peak_;
    std::int64_t begin_;
};

}  // namespace bifocal::torch_backend
