// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/base/result.h"

#include <string>
#include <vector>

namespace bifocal::cli {

/// A figure of the mission's two source documents beside ours. Threads: value.
struct Claim {
    std::string row;     ///< of the mission: "A6"
    std::string what;    ///< one line, with the workload
    std::string source;  ///< what the document says
    double value = 0;    ///< what the simulation gives
    std::string unit;
    std::string note;  ///< what explains the difference; may be empty
};

/// Rows A6, A12, B8, B13 and B15, simulated with the product's scheduler.
Result<std::vector<Claim>> checkClaims();

std::string toJson(const std::vector<Claim>& claims);
std::string toTable(const std::vector<Claim>& claims);

}  // namespace bifocal::cli
