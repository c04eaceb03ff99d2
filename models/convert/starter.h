// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/base/result.h"
#include "core/inference/manifest.h"

#include <filesystem>
#include <stop_token>

#include "models/convert/pack_preparation.h"

namespace bifocal::models {

/// Name of the starter pack's folder inside the folder of packs.
inline constexpr const char* kStarterFolder = "starter";

/// models/starter/pack.json, compiled in: what the pack is and which downloads, by exact size and
/// hash, it is made from; its list of files is empty.
const PackManifest& starterTemplate();

/// Whether <packs>/starter is there, made from the downloads of starterTemplate(), with every file
/// of its manifest at its stated size. Cheap: reads pack.json only.
bool isStarterPackPrepared(const std::filesystem::path& packs);

/// Makes <packs>/starter from the three wheels in `downloads`: verifies them, reads the image
/// tower's state dict without running code and folds its batch norms, copies the text tower,
/// computes the class table and the looks basis, writes pack.json last and puts the finished folder
/// in place with one rename. An equal finished pack is left as it is.
/// NotFound (a wheel), Corruption (a wheel or something inside it, named), Busy (another process is
/// preparing), ResourceExhausted (disk), Cancelled. Nothing is left behind on failure.
/// Threads: safe; starts up to 8 threads of its own and joins them.
Result<void> prepareStarterPack(const std::filesystem::path& downloads,
                                const std::filesystem::path& packs,
                                const ProgressCallback& progress,
                                const std::stop_token& stop = {});

}  // namespace bifocal::models
