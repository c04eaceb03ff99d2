// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>

namespace bifocal {

/// Whether an indexing run should try this file: its first bytes look like a picture, or its name
/// says that it is one (so that a broken picture is listed instead of passed by). Reads 64 bytes.
/// Threads: safe.
bool mayBePicture(const std::filesystem::path& path);

}  // namespace bifocal
