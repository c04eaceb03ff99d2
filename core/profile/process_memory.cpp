// SPDX-License-Identifier: Apache-2.0
#include "core/profile/profiler.h"

#include <fstream>
#include <string>

#include <unistd.h>

namespace bifocal::profile {

std::uint64_t residentBytes() {
    std::ifstream statm("/proc/self/statm");
    std::uint64_t totalPages = 0;
    std::uint64_t residentPages = 0;
    if (!(statm >> totalPages >> residentPages)) {
        return 0;
    }
    return residentPages * static_cast<std::uint64_t>(::sysconf(_SC_PAGESIZE));
}

std::uint64_t peakResidentBytes() {
    std::ifstream status("/proc/self/status");
    std::string word;
    while (status >> word) {
        if (word == "VmHWM:") {
            std::uint64_t kibibytes = 0;
            return (status >> kibibytes) ? kibibytes * 1024 : 0;
        }
    }
    return 0;
}

}  // namespace bifocal::profile
