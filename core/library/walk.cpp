// SPDX-License-Identifier: Apache-2.0
#include "core/library/walk.h"

#include "core/base/posix.h"
#include "core/library/internal/file_stamp.h"

#include <algorithm>
#include <array>
#include <cerrno>
#include <fstream>
#include <memory>
#include <set>
#include <string_view>
#include <utility>

#include <dirent.h>
#include <sys/stat.h>

namespace bifocal {
namespace {

/// Folders that programs keep for themselves.
constexpr std::array<std::string_view, 9> kPassedFolders{"node_modules",
                                                         "Trash",
                                                         "@eaDir",
                                                         "#recycle",
                                                         "#snapshot",
                                                         "$RECYCLE.BIN",
                                                         "System Volume Information",
                                                         "lost+found",
                                                         "__MACOSX"};

constexpr std::string_view kCacheTag = "CACHEDIR.TAG";
constexpr std::string_view kCacheSignature = "Signature: 8a477f597d28d172789f06886806bc55";

bool isPassedFolder(std::string_view name) {
    return name.starts_with('.') || std::ranges::find(kPassedFolders, name) != kPassedFolders.end();
}

bool isPassedFile(std::string_view name) {
    return name.starts_with("._") || name == ".DS_Store";
}

/// A folder marked as one whose content can be made again (https://bford.info/cachedir/).
bool isMarkedCache(const std::filesystem::path& folder) {
    std::ifstream tag(folder / kCacheTag, std::ios::binary);
    std::string text(kCacheSignature.size(), '\0');
    tag.read(text.data(), static_cast<std::streamsize>(text.size()));
    return tag && text == kCacheSignature;
}

/// Names of a folder, by bytes; the folder is closed again before any of them is looked at, so a
/// deep tree needs one handle, not one per level.
struct Listing {
    std::vector<std::string> names;
    int error = 0;  ///< of opening, or of reading on
};

Listing list(const std::filesystem::path& folder) {
    Listing listing;
    const std::unique_ptr<DIR, int (*)(DIR*)> handle(::opendir(folder.c_str()), ::closedir);
    if (handle == nullptr) {
        listing.error = errno;
        return listing;
    }
    while (true) {
        errno = 0;
        const dirent* entry = ::readdir(handle.get());  // NOLINT(concurrency-mt-unsafe): own handle
        if (entry == nullptr) {
            listing.error = errno;
            break;
        }
        const std::string_view name = entry->d_name;
        if (name != "." && name != "..") {
            listing.names.emplace_back(name);
        }
    }
    std::ranges::sort(listing.names, std::greater<>());  // taken from the back
    return listing;
}

/// A folder whose names are being visited.
struct Level {
    std::filesystem::path folder;
    std::vector<std::string> names;  ///< still to come, the next one last
};

class Walker {
public:
    Walker(std::stop_token stop, const std::function<void(WalkEntry)>& visit)
        : stop_(std::move(stop)), visit_(visit) {}

    Result<std::vector<WalkProblem>> walk(const std::filesystem::path& root);

private:
    void enter(const std::filesystem::path& folder);
    void enterOnce(const std::filesystem::path& folder, const struct stat& status);
    void look(const std::filesystem::path& path, std::string_view name);
    void followLink(const std::filesystem::path& path, std::string_view name);
    bool isMetAnyway(const std::filesystem::path& target) const;
    void note(const std::filesystem::path& path, std::string reason) {
        problems_.push_back({path, std::move(reason)});
    }

    std::stop_token stop_;
    const std::function<void(WalkEntry)>& visit_;
    std::vector<Level> levels_;
    std::vector<std::filesystem::path> realRoots_;  ///< the root, and where links led out of it
    std::set<std::pair<dev_t, ino_t>> entered_;
    std::vector<WalkProblem> problems_;
};

void Walker::enter(const std::filesystem::path& folder) {
    Listing listing = list(folder);
    if (listing.error != 0) {
        note(folder, systemReason(listing.error));
    }
    const bool hasTag = std::ranges::binary_search(listing.names, kCacheTag, std::greater<>());
    if (hasTag && !levels_.empty() && isMarkedCache(folder)) {
        return;
    }
    levels_.push_back({folder, std::move(listing.names)});
}

void Walker::enterOnce(const std::filesystem::path& folder, const struct stat& status) {
    if (entered_.emplace(status.st_dev, status.st_ino).second) {
        enter(folder);
    }
}

/// Whether the walk comes to this real path by itself.
bool Walker::isMetAnyway(const std::filesystem::path& target) const {
    return std::ranges::any_of(realRoots_, [&](const std::filesystem::path& root) {
        const auto [rootEnd, rest] =
            std::mismatch(root.begin(), root.end(), target.begin(), target.end());
        return rootEnd == root.end() &&
               std::none_of(rest, target.end(), [](const std::filesystem::path& part) {
                   return isPassedFolder(part.native());
               });
    });
}

/// What a link shows is taken at its own place if the walk comes there, and here if it does not.
void Walker::followLink(const std::filesystem::path& path, std::string_view name) {
    std::error_code code;
    const std::filesystem::path target = std::filesystem::canonical(path, code);
    struct stat status {};
    if (code || ::stat(path.c_str(), &status) != 0) {
        if (!name.starts_with('.')) {  // programs keep locks as hidden links to nothing
            note(path, "link: " + (code ? code.message() : systemReason(errno)));
        }
        return;
    }
    if (isMetAnyway(target)) {
        return;
    }
    if (S_ISREG(status.st_mode) && !isPassedFile(name)) {
        visit_({path, stampFrom(status)});
    } else if (S_ISDIR(status.st_mode) && !isPassedFolder(name)) {
        realRoots_.push_back(target);
        enterOnce(path, status);
    }
}

void Walker::look(const std::filesystem::path& path, std::string_view name) {
    struct stat status {};
    if (::lstat(path.c_str(), &status) != 0) {
        if (errno != ENOENT) {  // a file that went away meanwhile is none
            note(path, systemReason(errno));
        }
    } else if (S_ISLNK(status.st_mode)) {
        followLink(path, name);
    } else if (S_ISREG(status.st_mode) && !isPassedFile(name)) {
        visit_({path, stampFrom(status)});
    } else if (S_ISDIR(status.st_mode) && !isPassedFolder(name)) {
        enterOnce(path, status);
    }
}

Result<std::vector<WalkProblem>> Walker::walk(const std::filesystem::path& root) {
    struct stat status {};
    if (::stat(root.c_str(), &status) != 0) {
        const bool isAbsent = errno == ENOENT || errno == ENOTDIR;
        return Error{isAbsent ? ErrorCode::NotFound : ErrorCode::Internal,
                     root.string() + ": " + systemReason(errno)};
    }
    if (!S_ISDIR(status.st_mode)) {
        return Error{ErrorCode::InvalidArgument, root.string() + ": is not a folder"};
    }
    std::error_code code;
    const std::filesystem::path real = std::filesystem::canonical(root, code);
    realRoots_.push_back(code ? root : real);
    enterOnce(root, status);
    while (!levels_.empty()) {
        if (stop_.stop_requested()) {
            return Error{ErrorCode::Cancelled, root.string() + ": the walk was cancelled"};
        }
        Level& level = levels_.back();
        if (level.names.empty()) {
            levels_.pop_back();
            continue;
        }
        const std::string name = std::move(level.names.back());
        level.names.pop_back();
        look(level.folder / name, name);
    }
    return std::move(problems_);
}

}  // namespace

Result<std::vector<WalkProblem>> walk(const std::filesystem::path& root,
                                      std::stop_token stop,
                                      const std::function<void(WalkEntry)>& visit) {
    return Walker(std::move(stop), visit).walk(root);
}

}  // namespace bifocal
