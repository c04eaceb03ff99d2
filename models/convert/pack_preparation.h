// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/base/result.h"
#include "core/inference/manifest.h"

#include <cstdint>
#include <filesystem>
#include <functional>
#include <stop_token>
#include <string>
#include <vector>

#include "models/convert/archive.h"

namespace bifocal::models {

/// How far a preparation is. Threads: value.
struct PrepareProgress {
    std::string step;  ///< in English, for a progress line: "class table: 1200 of 3397 sentences"
    double fraction = 0;  ///< of the whole, 0…1, never falling
};
/// Called from one thread at a time, not always the caller's.
using ProgressCallback = std::function<void(const PrepareProgress&)>;

/// No entry that a pack is made of unpacks to more.
inline constexpr std::uint64_t kMaxEntryBytes = 200'000'000;

/// A pack while it is made: reads its pinned downloads and writes its files into a folder that is
/// not yet in its place. Threads: compatible.
class PackPreparation {
public:
    /// `manifest` names the sources; its list of files grows with each write().
    PackPreparation(std::filesystem::path downloads,
                    std::filesystem::path folder,
                    PackManifest manifest,
                    const ProgressCallback& progress,
                    std::stop_token stop);

    /// Reports where it is. Cancelled when it was asked to stop.
    Result<void> step(const std::string& name, double fraction) const;
    /// Reports only.
    void report(const std::string& name, double fraction) const;

    /// The download of a source that the manifest names, its hash verified. NotFound, Corruption.
    Result<Archive> openSource(const char* name) const;

    /// Writes a file of the pack and enters its size and hash into the manifest.
    Result<void> write(const PackFile& described, const std::vector<std::uint8_t>& bytes);
    /// Copies an entry of an archive to "LICENSE-<source>.txt".
    Result<void> copyLicence(Archive& archive,
                             const std::string& entry,
                             const char* source,
                             const std::string& licence);

    const std::stop_token& stop() const { return stop_; }
    const PackManifest& manifest() const { return manifest_; }

private:
    std::filesystem::path downloads_;
    std::filesystem::path folder_;
    PackManifest manifest_;
    const ProgressCallback& progress_;
    std::stop_token stop_;
};

/// Whether <packs>/<name> is there, made from the downloads of `wanted`, with every file of its
/// manifest at its stated size. Cheap: reads pack.json only.
bool isPackPrepared(const std::filesystem::path& packs,
                    const std::string& name,
                    const PackManifest& wanted);

/// Makes <packs>/<name> with `make` in a folder of its own, writes pack.json last and puts the
/// finished folder in place with one rename; an equal finished pack is left as it is. Busy when
/// another process prepares the same pack; otherwise what `make` returns. Nothing is left behind on
/// failure. Threads: safe.
Result<void> preparePack(const std::filesystem::path& downloads,
                         const std::filesystem::path& packs,
                         const std::string& name,
                         const PackManifest& wanted,
                         const ProgressCallback& progress,
                         const std::stop_token& stop,
                         const std::function<Result<void>(PackPreparation&)>& make);

}  // namespace bifocal::models
