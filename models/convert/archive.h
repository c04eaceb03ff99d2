// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/base/result.h"

#include <cstdint>
#include <filesystem>
#include <memory>
#include <string>
#include <vector>

namespace bifocal::models {

/// A zip archive (a wheel), read entry by entry into memory; nothing is ever unpacked by name.
/// Threads: compatible; read() needs the caller's exclusion. Owns: the open file.
class Archive {
public:
    /// NotFound; Corruption for a file that is no zip, an entry whose name is absolute, climbs out
    /// with "..", or holds a backslash, a drive or a control character, or an entry named twice.
    static Result<Archive> open(const std::filesystem::path& path);

    Archive(Archive&& other) noexcept;
    Archive& operator=(Archive&& other) noexcept;
    Archive(const Archive&) = delete;
    Archive& operator=(const Archive&) = delete;
    ~Archive();

    /// One entry, its checksum verified. NotFound; ResourceExhausted when it unpacks to more than
    /// `limitBytes`; Corruption.
    Result<std::vector<std::uint8_t>> read(const std::string& entry, std::uint64_t limitBytes);

private:
    struct State;
    explicit Archive(std::unique_ptr<State> state);

    std::unique_ptr<State> state_;
};

/// Whether an archive entry's name stays inside the folder it would be unpacked to.
bool isSafeEntryName(const std::string& name);

}  // namespace bifocal::models
