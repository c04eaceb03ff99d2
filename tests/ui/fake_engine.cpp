// SPDX-License-Identifier: Apache-2.0
#include "tests/ui/fake_engine.h"

#include <utility>

namespace bifocal::ui::test {

FakeEngine::FakeEngine() : profiler_(clock_) {
    PackInfo pack;
    pack.id = "fake-1";
    pack.name = "Fake";
    pack.licence = "Apache-2.0";
    pack.device = "cpu";
    pack.precision = "bf16";
    pack.deviceWhy = "no CUDA device found";
    pack.deviceFacts = {DeviceReason::NoGpuFound, PrecisionReason::Bf16Native};
    state.packState = PackState::Ready;
    state.pack = pack;
}

Result<RequestId> FakeEngine::submit(Prompt prompt, PromptHandler handler, RequestId supersedes) {
    if (submitError) {
        return *submitError;
    }
    submitted.push_back({next(), std::move(prompt), std::move(handler), supersedes});
    return submitted.back().request;
}

void FakeEngine::answer(const Submitted& asked, PromptEventKind kind, std::vector<ResultRow> rows) {
    ResultSet set;
    set.request = asked.request;
    set.mode = !asked.prompt.image         ? PromptMode::TextOnly
               : asked.prompt.text.empty() ? PromptMode::ImageOnly
                                           : PromptMode::Fused;
    set.searchedCount = 796;
    set.hiddenCount = hiddenCount;
    set.totalMs = 38;
    set.answer = rows.empty() ? Answer::None : static_cast<Answer>(rows.front().confidence);
    set.rows = std::move(rows);
    PromptEvent event;
    event.request = asked.request;
    event.kind = kind;
    event.sequence = 1;
    event.results = std::make_shared<const ResultSet>(std::move(set));
    asked.handler(event);
}

void FakeEngine::fail(const Submitted& asked, Error error) {
    PromptEvent event;
    event.request = asked.request;
    event.kind = PromptEventKind::Failed;
    event.sequence = 1;
    event.error = std::move(error);
    asked.handler(event);
}

void FakeEngine::showPicture(const Picture& asked, const ImageBuffer& image) {
    asked.handler(image);
}

ResultRow FakeEngine::row(int number, const std::string& name, float text, float image) {
    ResultRow row;
    row.file.id = FileId{static_cast<std::uint64_t>(number)};
    row.file.content.bytes[0] = static_cast<std::uint8_t>(number);
    row.file.content.bytes[1] = static_cast<std::uint8_t>(number >> 8U);
    row.file.path = "/pictures/plants/" + name;
    row.file.stamp.sizeBytes = 71'000;
    row.file.stamp.modifiedNanoseconds = 1'236'844'800LL * 1'000'000'000LL;
    row.file.width = 346;
    row.file.height = 300;
    row.why = {image, text};
    row.score = text + image;
    row.confidence = row.score > 0.6F   ? Confidence::Strong
                     : row.score > 0.3F ? Confidence::Fair
                                        : Confidence::Weak;
    return row;
}

ImageBuffer FakeEngine::picture(int side, std::uint8_t red, std::uint8_t green, std::uint8_t blue) {
    ImageBuffer image;
    image.width = side;
    image.height = side;
    for (int i = 0; i < side * side; ++i) {
        image.rgba.insert(image.rgba.end(), {red, green, blue, 255});
    }
    return image;
}

CollectionId FakeEngine::addCollectionRecord(const std::string& root, std::uint64_t fileCount) {
    CollectionRecord record;
    record.id = CollectionId{state.collections.size() + 1};
    record.root = root;
    record.fileCount = fileCount;
    state.collections.push_back(record);
    state.pictureCount += fileCount;
    ++state.libraryGeneration;
    return record.id;
}

Result<CollectionId> FakeEngine::addCollection(const std::filesystem::path& root) {
    added.push_back(root);
    if (addError) {
        return *addError;
    }
    return addCollectionRecord(root.string(), 0);
}

Result<void> FakeEngine::removeCollection(CollectionId collection) {
    std::erase_if(state.collections,
                  [&](const CollectionRecord& record) { return record.id == collection; });
    return {};
}

Result<RequestId> FakeEngine::startIndexing(CollectionId collection, IndexHandler handler) {
    return retryFailures(collection, {}, std::move(handler));
}

Result<RequestId> FakeEngine::retryFailures(CollectionId collection,
                                            std::vector<std::filesystem::path> paths,
                                            IndexHandler handler) {
    if (indexError) {
        return *indexError;
    }
    runs.push_back({next(), collection, std::move(paths), std::move(handler)});
    if (endsIndexingAtOnce) {
        IndexProgress progress;
        progress.request = runs.back().request;
        progress.collection = collection;
        progress.state = IndexState::Done;
        runs.back().handler(progress);
    }
    return runs.back().request;
}

void FakeEngine::failures(std::optional<CollectionId> /*collection*/, FailuresHandler handler) {
    failureHandlers.push_back(std::move(handler));
}

void FakeEngine::browse(std::optional<CollectionId> collection,
                        std::size_t offset,
                        std::size_t limit,
                        RowsHandler handler) {
    browses.push_back({collection, offset, limit, std::move(handler)});
}

RequestId FakeEngine::loadImage(const ImageSource& source,
                                int side,
                                Urgency urgency,
                                ImageHandler handler) {
    pictures.push_back({next(), source, side, urgency, std::move(handler)});
    return pictures.back().request;
}

Result<RequestId> FakeEngine::recognize(SpeechClip clip, SpeechHandler handler) {
    heard.push_back({next(), std::move(clip), std::move(handler)});
    return heard.back().request;
}

Result<void> FakeEngine::retune(const schedule::Tuning& tuning) {
    if (retuneError) {
        return *retuneError;
    }
    tuned = tuning;
    return {};
}

Result<std::vector<std::string>> FakeEngine::check(std::size_t /*sampleCount*/) {
    return std::vector<std::string>{};
}

}  // namespace bifocal::ui::test
