// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdlib>
#include <filesystem>
#include <stdexcept>

namespace bifocal::test {

/// The prepared starter pack: $BIFOCAL_PACKS/starter. Throws, which fails the test with the reason,
/// when the variable is not set or nothing is prepared there.
inline std::filesystem::path starterFolder() {
    const char* packs = std::getenv("BIFOCAL_PACKS");  // NOLINT(concurrency-mt-unsafe)
    if (packs == nullptr) {
        throw std::runtime_error(
            "BIFOCAL_PACKS is not set: it names the folder that holds the prepared starter pack; "
            "./test sets it");
    }
    std::filesystem::path folder = std::filesystem::path(packs) / "starter";
    if (!std::filesystem::exists(folder / "pack.json")) {
        throw std::runtime_error(folder.string() +
                                 " holds no pack.json: prepare it with bifocal-cli models prepare");
    }
    return folder;
}

}  // namespace bifocal::test
