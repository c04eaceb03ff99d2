// SPDX-License-Identifier: Apache-2.0
#include "app/cli/bench/temporary_folder.h"

#include <cstdlib>

namespace bifocal::cli {

Result<TemporaryFolder> TemporaryFolder::make() {
    std::error_code code;
    const std::filesystem::path parent = std::filesystem::temp_directory_path(code);
    std::string name = (parent / "bifocal-bench-XXXXXX").string();
    if (code || ::mkdtemp(name.data()) == nullptr) {
        return Error{ErrorCode::Internal, parent.string() + ": no temporary folder can be made"};
    }
    return TemporaryFolder(name);
}

TemporaryFolder& TemporaryFolder::operator=(TemporaryFolder&& other) noexcept {
    std::swap(path_, other.path_);
    return *this;
}

TemporaryFolder::~TemporaryFolder() {
    if (!path_.empty()) {
        std::error_code ignored;
        std::filesystem::remove_all(path_, ignored);
    }
}

}  // namespace bifocal::cli
