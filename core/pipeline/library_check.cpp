// SPDX-License-Identifier: Apache-2.0
#include "core/pipeline/library_check.h"

#include "core/base/files.h"
#include "core/pipeline/prompt_image.h"

#include <algorithm>
#include <array>
#include <atomic>
#include <cmath>
#include <latch>
#include <mutex>
#include <unordered_set>
#include <utility>

namespace bifocal {
namespace {

double cosine(std::span<const Half> stored, std::span<const float> fresh) {
    double product = 0;
    double storedSquares = 0;
    double freshSquares = 0;
    for (std::size_t i = 0; i < fresh.size(); ++i) {
        const double a = toFloat(stored[i]);
        const double b = fresh[i];
        product += a * b;
        storedSquares += a * a;
        freshSquares += b * b;
    }
    const double lengths = std::sqrt(storedSquares * freshSquares);
    return lengths > 0 ? product / lengths : 0;
}

/// Compares stored vectors with fresh ones, on as many workers as the lane has.
class VectorAudit {
public:
    VectorAudit(const PipelineContext& context, std::vector<FileRecord> files)
        : context_(context), files_(std::move(files)), snapshot_(context.index.snapshot()) {}

    std::vector<std::string> run() {
        constexpr std::ptrdiff_t kTaskCount = 2;
        std::latch done(kTaskCount);
        for (std::ptrdiff_t i = 0; i < kTaskCount; ++i) {
            schedule::TaskSpec spec;
            spec.stage = "check";
            spec.lane = context_.lanes.image;
            spec.urgency = Urgency::Batch;
            auto work = schedule::makeWork(
                [&](const schedule::WorkerContext& worker) {
                    auditFiles(worker);
                    done.count_down();
                },
                [&](schedule::Abandoned) { done.count_down(); });
            if (const auto queued = context_.scheduler.enqueue(spec, std::move(work)); !queued) {
                addProblem(queued.error().message);
                done.count_down();
            }
        }
        done.wait();
        return std::move(problems_);
    }

private:
    void auditFiles(const schedule::WorkerContext& worker) {
        const Result<ImageEncoder*> encoder = context_.encoders.image(worker, Urgency::Batch);
        if (!encoder) {
            addProblem(encoder.error().message);
            return;
        }
        for (std::size_t i = next_++; i < files_.size(); i = next_++) {
            if (Result<void> outcome = audit(files_[i], **encoder); !outcome) {
                addProblem(files_[i].path.string() + ": " + outcome.error().message);
            }
        }
    }

    Result<void> audit(const FileRecord& file, ImageEncoder& encoder) {
        BIFOCAL_TRY(const LoadedImage loaded,
                    loadPromptImage({ImageFile{file.path}, {}}, kEncodeSide));
        if (loaded.content != file.content) {
            return {};  // changed since it was indexed: the next scan's business
        }
        const auto row = snapshot_->find(file.content);
        if (!row) {
            return {};  // reported once, with the structure
        }
        std::vector<float> fresh(context_.pack->info().layout.dim);
        const ImageView view = loaded.pixels.view();
        BIFOCAL_CHECK(encoder.encode({&view, 1}, fresh, {}));
        const double similarity = cosine(snapshot_->values(*row), fresh);
        if (similarity < kLeastCosine) {
            return Error{ErrorCode::Corruption,
                         "its vector is not its own: cosine " + std::to_string(similarity)};
        }
        return findsItself(*row, fresh);
    }

    Result<void> findsItself(std::uint32_t row, std::span<const float> fresh) {
        BIFOCAL_TRY(const std::vector<float> query, context_.pack->makeQuery({{}, fresh, {}, 1.0}));
        std::array<kernels::RowScore, 1> best{};
        BIFOCAL_TRY(const kernels::TopKResult found, snapshot_->search(query, {}, best, {}));
        const std::span<const Half> own = snapshot_->values(row);
        const float ownScore = kernels::dot(own, std::span(query).first(own.size()));
        // A re-encoding of the same picture may tie within the rounding of FP16.
        if (found.count == 0 || best[0].score > ownScore + 1e-3F) {
            return Error{ErrorCode::Corruption, "it does not find itself first"};
        }
        return {};
    }

    void addProblem(std::string problem) {
        const std::lock_guard lock(mutex_);
        problems_.push_back(std::move(problem));
    }

    const PipelineContext& context_;
    const std::vector<FileRecord> files_;
    const std::shared_ptr<const IndexSnapshot> snapshot_;
    std::atomic<std::size_t> next_{0};
    std::mutex mutex_;
    std::vector<std::string> problems_;
};

void append(std::vector<std::string>& to, std::vector<std::string> from) {
    to.insert(to.end(), std::make_move_iterator(from.begin()), std::make_move_iterator(from.end()));
}

/// Takes the files of folders that are not there out of `files`; one problem for each folder.
Result<std::vector<std::string>> leaveOutVanishedRoots(const Library& library,
                                                       std::vector<FileRecord>& files) {
    BIFOCAL_TRY(const std::vector<CollectionRecord> collections, library.collections());
    std::vector<std::string> problems;
    for (const CollectionRecord& collection : collections) {
        if (std::error_code code; std::filesystem::exists(collection.root, code) || code) {
            continue;
        }
        std::erase_if(files, [&collection](const FileRecord& file) {
            return file.collection == collection.id;
        });
        problems.push_back(collection.root.string() +
                           ": the folder is not there; bring it back for its " +
                           std::to_string(collection.fileCount) + " pictures, or forget it");
    }
    return problems;
}

}  // namespace

Result<std::vector<std::string>> checkLibrary(const PipelineContext& context,
                                              const std::filesystem::path& directory,
                                              std::size_t sampleCount) {
    std::vector<std::string> problems;
    BIFOCAL_TRY(LibraryCheck library, context.library.check());
    append(problems, std::move(library.problems));
    const std::filesystem::path vectors = libraryVectorFile(directory, context.pack->info().id);
    if (std::filesystem::exists(vectors)) {
        BIFOCAL_TRY(IndexCheck index, VectorIndex::check(vectors));
        append(problems, std::move(index.problems));
    }
    BIFOCAL_CHECK(context.index.refresh());
    const auto snapshot = context.index.snapshot();
    BIFOCAL_TRY(const std::vector<ContentKey> contents, context.library.allContents());
    const auto missing = std::count_if(contents.begin(),
                                       contents.end(),
                                       [&](const ContentKey& key) { return !snapshot->find(key); });
    if (missing > 0) {
        problems.push_back(std::to_string(missing) +
                           " pictures have no vector of this pack yet: index them again");
    }
    BIFOCAL_TRY(const std::uint64_t fileCount, context.library.fileCount());
    BIFOCAL_TRY(std::vector<FileRecord> files,
                context.library.newestFiles(std::nullopt, 0, fileCount));
    BIFOCAL_TRY(std::vector<std::string> vanished, leaveOutVanishedRoots(context.library, files));
    append(problems, std::move(vanished));
    if (sampleCount < files.size()) {
        std::vector<FileRecord> sample;
        for (std::size_t i = 0; i < sampleCount; ++i) {
            sample.push_back(files[i * files.size() / sampleCount]);
        }
        files = std::move(sample);
    }
    if (!files.empty()) {
        append(problems, VectorAudit(context, std::move(files)).run());
    }
    return problems;
}

Result<std::vector<std::filesystem::path>> setAsideDamagedVectors(
    const std::filesystem::path& directory) {
    if (!std::filesystem::exists(directory)) {
        return Error{ErrorCode::NotFound, directory.string() + ": there is no library"};
    }
    BIFOCAL_TRY(const FileLock lock, FileLock::tryAcquire(libraryLockFile(directory)));
    std::vector<std::filesystem::path> damaged;
    for (const std::filesystem::path& file : libraryVectorFiles(directory)) {
        BIFOCAL_TRY(const IndexCheck check, VectorIndex::check(file));
        if (!check.isDamaged) {
            continue;
        }
        std::error_code code;
        std::filesystem::rename(file, file.string() + ".damaged", code);
        if (code) {
            return Error{ErrorCode::Internal, file.string() + ": " + code.message()};
        }
        damaged.push_back(file);
    }
    return damaged;
}

}  // namespace bifocal
