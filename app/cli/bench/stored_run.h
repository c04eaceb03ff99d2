// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "app/cli/bench/report.h"
#include "core/base/result.h"

#include <filesystem>
#include <string>

namespace bifocal::cli {

/// Where full runs are kept: one file per bench in the folder of benches.
/// Keeps `report` as the full run of this build. The errors of writing. Threads: compatible.
Result<void> storeFullRun(const std::filesystem::path& folder,
                          const BenchReport& report,
                          const std::string& commit);

/// Gives rows without a peer the figure of the stored full run of the same bench on the same
/// machine; leaves them as they are when there is none. Corruption for a file that is no such run.
/// Threads: compatible.
Result<void> addStoredPeers(const std::filesystem::path& folder, BenchReport& report);

}  // namespace bifocal::cli
