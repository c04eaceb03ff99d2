// SPDX-License-Identifier: Apache-2.0
#include "models/convert/archive.h"

#include <algorithm>
#include <set>
#include <utility>

#include <zip.h>

namespace bifocal::models {
namespace {

struct CloseEntry {
    void operator()(zip_file_t* file) const { zip_fclose(file); }
};

struct DiscardArchive {
    void operator()(zip_t* archive) const { zip_discard(archive); }
};

Error broken(const std::filesystem::path& path, const std::string& message) {
    return {ErrorCode::Corruption, path.filename().string() + ": " + message};
}

std::string messageOf(int code) {
    zip_error_t error;
    zip_error_init_with_code(&error, code);
    std::string message = zip_error_strerror(&error);
    zip_error_fini(&error);
    return message;
}

}  // namespace

struct Archive::State {
    std::filesystem::path path;
    std::unique_ptr<zip_t, DiscardArchive> archive;
};

Archive::Archive(std::unique_ptr<State> state) : state_(std::move(state)) {}
Archive::Archive(Archive&& other) noexcept = default;
Archive& Archive::operator=(Archive&& other) noexcept = default;
Archive::~Archive() = default;

bool isSafeEntryName(const std::string& name) {
    const bool plain = std::all_of(name.begin(), name.end(), [](char c) {
        return static_cast<unsigned char>(c) >= 0x20 && c != '\\' && c != ':' && c != 0x7F;
    });
    if (name.empty() || !plain || name.front() == '/') {
        return false;
    }
    for (std::size_t begin = 0; begin <= name.size();) {
        const std::size_t end = std::min(name.find('/', begin), name.size());
        if (name.compare(begin, end - begin, "..") == 0) {
            return false;
        }
        begin = end + 1;
    }
    return true;
}

Result<Archive> Archive::open(const std::filesystem::path& path) {
    if (std::error_code ignored; !std::filesystem::is_regular_file(path, ignored)) {
        return Error{ErrorCode::NotFound, path.string() + ": no such file"};
    }
    auto state = std::make_unique<State>();
    state->path = path;
    int code = 0;
    state->archive.reset(zip_open(path.c_str(), ZIP_RDONLY | ZIP_CHECKCONS, &code));
    if (!state->archive) {
        return broken(path, messageOf(code));
    }
    std::set<std::string> names;
    const zip_int64_t count = zip_get_num_entries(state->archive.get(), 0);
    for (zip_int64_t i = 0; i < count; ++i) {
        const char* raw =
            zip_get_name(state->archive.get(), static_cast<zip_uint64_t>(i), ZIP_FL_ENC_GUESS);
        const std::string name = raw == nullptr ? "" : raw;
        if (!isSafeEntryName(name)) {
            return broken(path, "refused: an entry is named '" + name + "'");
        }
        if (!names.insert(name).second) {
            return broken(path, "refused: two entries are named '" + name + "'");
        }
    }
    return Archive(std::move(state));
}

Result<std::vector<std::uint8_t>> Archive::read(const std::string& entry,
                                                std::uint64_t limitBytes) {
    zip_t* archive = state_->archive.get();
    zip_stat_t stat;
    zip_stat_init(&stat);
    if (zip_stat(archive, entry.c_str(), 0, &stat) != 0 || (stat.valid & ZIP_STAT_SIZE) == 0) {
        return Error{ErrorCode::NotFound,
                     state_->path.filename().string() + ": has no entry " + entry};
    }
    if (stat.size > limitBytes) {
        return Error{ErrorCode::ResourceExhausted,
                     entry + ": unpacks to " + std::to_string(stat.size) + " bytes"};
    }
    const std::unique_ptr<zip_file_t, CloseEntry> file(zip_fopen_index(archive, stat.index, 0));
    if (!file) {
        return broken(state_->path, entry + ": " + zip_strerror(archive));
    }
    std::vector<std::uint8_t> bytes(stat.size);
    std::size_t filled = 0;
    while (filled < bytes.size()) {
        const zip_int64_t got = zip_fread(file.get(), bytes.data() + filled, bytes.size() - filled);
        if (got <= 0) {
            return broken(state_->path, entry + ": is shorter than announced");
        }
        filled += static_cast<std::size_t>(got);
    }
    // The checksum is compared when the end is reached, and only then.
    std::uint8_t beyond = 0;
    if (zip_fread(file.get(), &beyond, 1) != 0) {
        return broken(state_->path, entry + ": checksum or length is wrong");
    }
    return bytes;
}

}  // namespace bifocal::models
