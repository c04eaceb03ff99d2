// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/base/result.h"

#include <cstdint>
#include <filesystem>
#include <span>
#include <stop_token>
#include <string>

namespace bifocal {

/// SHA-256 (FIPS 180-4), 64 lower-case hexadecimal digits. Threads: value.
std::string sha256(std::span<const std::uint8_t> bytes);

/// The same of a file, read in pieces of 1 MiB. NotFound, Internal (I/O), Cancelled.
/// Threads: safe.
Result<std::string> sha256OfFile(const std::filesystem::path& path,
                                 const std::stop_token& stop = {});

/// Whether `text` is 64 lower-case hexadecimal digits.
bool isSha256(const std::string& text);

}  // namespace bifocal
