// SPDX-License-Identifier: Apache-2.0
#include "app/cli/bench/batch_feeder.h"

#include <algorithm>
#include <fstream>
#include <string>
#include <utility>

namespace bifocal::cli {
namespace {

Result<void> appendToFiles(const std::filesystem::path& folder, char byte) {
    std::error_code code;
    for (const auto& entry : std::filesystem::directory_iterator(folder, code)) {
        std::ofstream file(entry.path(), std::ios::binary | std::ios::app);
        file.put(byte);
        file.close();
        if (!file) {
            return Error{ErrorCode::Internal, entry.path().string() + ": cannot be written"};
        }
    }
    return code ? Result<void>(Error{ErrorCode::Internal, folder.string() + ": " + code.message()})
                : Result<void>();
}

}  // namespace

Result<std::unique_ptr<BatchFeeder>> BatchFeeder::start(
    Engine& engine, std::vector<std::filesystem::path> folders) {
    std::unique_ptr<BatchFeeder> feeder(new BatchFeeder(engine));
    for (std::filesystem::path& path : folders) {
        Folder folder;
        folder.mark = static_cast<char>('a' + feeder->folders_.size() % 26);
        BIFOCAL_TRY(folder.collection, engine.addCollection(path));
        folder.path = std::move(path);
        feeder->folders_.push_back(std::move(folder));
    }
    for (std::size_t i = 0; i < feeder->folders_.size(); ++i) {
        BIFOCAL_CHECK(feeder->run(i));
    }
    feeder->thread_ = std::thread([raw = feeder.get()] { raw->feed(); });
    return feeder;
}

BatchFeeder::~BatchFeeder() {
    (void)stop().has_value();
}

std::uint64_t BatchFeeder::doneCount() const {
    const std::lock_guard lock(mutex_);
    return doneCountLocked();
}

std::uint64_t BatchFeeder::doneCountLocked() const {
    std::uint64_t count = 0;
    for (const Folder& folder : folders_) {
        count += folder.doneBefore + folder.doneNow;
    }
    return count;
}

bool BatchFeeder::awaitDone(std::uint64_t count) {
    std::unique_lock lock(mutex_);
    changed_.wait(lock, [&] { return error_ || doneCountLocked() >= count; });
    return !error_;
}

bool BatchFeeder::hasFailed() const {
    const std::lock_guard lock(mutex_);
    return error_.has_value();
}

Result<void> BatchFeeder::stop() {
    {
        const std::lock_guard lock(mutex_);
        isStopping_ = true;
    }
    changed_.notify_all();
    if (thread_.joinable()) {
        thread_.join();
    }
    std::vector<RequestId> running;
    {
        const std::lock_guard lock(mutex_);
        for (const Folder& folder : folders_) {
            if (folder.isRunning) {
                running.push_back(folder.request);
            }
        }
    }
    for (const RequestId request : running) {
        engine_.cancel(request);
    }
    std::unique_lock lock(mutex_);
    changed_.wait(lock, [this] {
        return std::none_of(folders_.begin(), folders_.end(), [](const Folder& folder) {
            return folder.isRunning;
        });
    });
    if (error_) {
        return *error_;
    }
    if (failedCount_ > 0) {
        return Error{ErrorCode::Corruption,
                     std::to_string(failedCount_) + " pictures could not be indexed"};
    }
    return {};
}

Result<void> BatchFeeder::run(std::size_t index) {
    std::filesystem::path path;
    CollectionId collection;
    char mark = 0;
    {
        const std::lock_guard lock(mutex_);
        Folder& folder = folders_[index];
        folder.isRunning = true;
        path = folder.path;
        collection = folder.collection;
        mark = folder.mark;
    }
    Result<void> appended = appendToFiles(path, mark);
    Result<RequestId> request =
        appended ? engine_.startIndexing(collection,
                                         [this, index](const IndexProgress& progress) {
                                             onProgress(index, progress);
                                         })
                 : Result<RequestId>(std::move(appended).error());
    const std::lock_guard lock(mutex_);
    if (!request) {
        folders_[index].isRunning = false;
        return std::move(request).error();
    }
    folders_[index].request = *request;
    return {};
}

void BatchFeeder::feed() {
    for (;;) {
        std::size_t next = 0;
        {
            std::unique_lock lock(mutex_);
            changed_.wait(lock, [this] { return isStopping_ || error_ || idleFolder(); });
            if (isStopping_ || error_) {
                return;
            }
            next = *idleFolder();
        }
        if (Result<void> started = run(next); !started) {
            const std::lock_guard lock(mutex_);
            error_ = std::move(started).error();
            changed_.notify_all();
            return;
        }
    }
}

void BatchFeeder::onProgress(std::size_t index, const IndexProgress& progress) {
    const std::lock_guard lock(mutex_);
    Folder& folder = folders_[index];
    folder.doneNow = progress.doneCount;
    if (progress.state >= IndexState::Done) {
        folder.doneBefore += std::exchange(folder.doneNow, 0);
        folder.isRunning = false;
        failedCount_ += progress.failedCount;
        if (progress.error && !error_) {
            error_ = progress.error;
        }
    }
    changed_.notify_all();  // with the lock: stop() may let this object go right after it
}

std::optional<std::size_t> BatchFeeder::idleFolder() const {
    const auto idle = std::find_if(
        folders_.begin(), folders_.end(), [](const Folder& folder) { return !folder.isRunning; });
    return idle == folders_.end()
               ? std::nullopt
               : std::optional(static_cast<std::size_t>(idle - folders_.begin()));
}

}  // namespace bifocal::cli
