// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/base/files.h"
#include "core/engine/engine.h"
#include "core/imaging/decode.h"
#include "tests/support/fake_pack.h"

#include <gtest/gtest.h>

#include <condition_variable>
#include <filesystem>
#include <fstream>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

#include <stdlib.h>

namespace bifocal::test {

/// A folder that is gone when the test is.
class TemporaryFolder {
public:
    TemporaryFolder() {
        std::string name =
            (std::filesystem::temp_directory_path() / "bifocal-test-XXXXXX").string();
        path_ = ::mkdtemp(name.data());
    }
    TemporaryFolder(const TemporaryFolder&) = delete;
    TemporaryFolder& operator=(const TemporaryFolder&) = delete;
    ~TemporaryFolder() {
        std::error_code ignored;
        std::filesystem::remove_all(path_, ignored);
    }
    const std::filesystem::path& path() const { return path_; }

private:
    std::filesystem::path path_;
};

/// Collects one prompt's events and waits for its end.
class PromptRecorder {
public:
    PromptHandler handler() {
        return [this](const PromptEvent& event) {
            const std::lock_guard lock(mutex_);
            events_.push_back(event);
            changed_.notify_all();
        };
    }

    /// Blocks until the terminal event, and gives it.
    PromptEvent end() {
        return await([](const PromptEvent& event) { return event.isTerminal(); });
    }
    PromptEvent firstOf(PromptEventKind kind) {
        return await([kind](const PromptEvent& event) { return event.kind == kind; });
    }
    std::vector<PromptEvent> events() const {
        const std::lock_guard lock(mutex_);
        return events_;
    }

private:
    template <typename Predicate>
    PromptEvent await(Predicate predicate) {
        std::unique_lock lock(mutex_);
        for (;;) {
            for (const PromptEvent& event : events_) {
                if (predicate(event)) {
                    return event;
                }
            }
            changed_.wait(lock);
        }
    }

    mutable std::mutex mutex_;
    std::condition_variable changed_;
    std::vector<PromptEvent> events_;
};

/// Collects one indexing run's progress and waits for its end.
class IndexRecorder {
public:
    IndexHandler handler() {
        return [this](const IndexProgress& progress) {
            const std::lock_guard lock(mutex_);
            all_.push_back(progress);
            changed_.notify_all();
        };
    }
    IndexProgress end() {
        return await(
            [](const IndexProgress& progress) { return progress.state >= IndexState::Done; });
    }
    template <typename Predicate>
    IndexProgress await(Predicate predicate) {
        std::unique_lock lock(mutex_);
        for (;;) {
            for (const IndexProgress& progress : all_) {
                if (predicate(progress)) {
                    return progress;
                }
            }
            changed_.wait(lock);
        }
    }
    std::size_t terminalCount() const {
        const std::lock_guard lock(mutex_);
        std::size_t count = 0;
        for (const IndexProgress& progress : all_) {
            count += progress.state >= IndexState::Done ? 1 : 0;
        }
        return count;
    }

private:
    mutable std::mutex mutex_;
    std::condition_variable changed_;
    std::vector<IndexProgress> all_;
};

/// An engine with a fake pack over a temporary library, and a folder of pictures.
class EngineTest : public ::testing::Test {
protected:
    static void SetUpTestSuite() { ASSERT_TRUE(imaging::initialize("engine_test")); }

    void SetUp() override {
        ASSERT_TRUE(makeDirectories(pictures()));
        engine_ = open();
    }

    std::filesystem::path pictures() const { return folder_.path() / "pictures"; }

    EngineConfig config() const {
        EngineConfig config;
        config.library = folder_.path() / "library";
        config.packFolder = folder_.path() / "pack";
        config.cache = folder_.path() / "cache";
        config.speechFolder = folder_.path() / "speech";
        config.memoryBudgetBytes = memoryBudgetBytes_;
        return config;
    }

    std::unique_ptr<Engine> open() { return open(fakeLoader(pack_)); }
    std::unique_ptr<Engine> open(PackLoader loader) {
        EngineParts parts;
        parts.loadPack = std::move(loader);
        parts.loadSpeech = speechLoader_;
        Result<std::unique_ptr<Engine>> engine = Engine::open(config(), std::move(parts));
        EXPECT_TRUE(engine) << engine.error().message;
        return std::move(*engine);
    }

    std::filesystem::path add(const std::string& name, const ImageBuffer& image) {
        const std::filesystem::path path = pictures() / name;
        EXPECT_TRUE(makeDirectories(path.parent_path()));
        const auto bytes = imaging::encodePng(image.view());
        EXPECT_TRUE(bytes);
        EXPECT_TRUE(writeFileAtomically(path, *bytes));
        return path;
    }
    std::filesystem::path addText(const std::string& name, const std::string& text) {
        const std::filesystem::path path = pictures() / name;
        EXPECT_TRUE(writeFileAtomically(path, text));
        return path;
    }
    /// A picture of its own for each number: colour and a bright square whose place depends on it.
    static ImageBuffer numbered(int number) {
        ImageBuffer image = solidImage(64,
                                       48,
                                       static_cast<std::uint8_t>(40 + number * 37 % 200),
                                       static_cast<std::uint8_t>(40 + number * 91 % 200),
                                       static_cast<std::uint8_t>(40 + number * 53 % 200));
        const int left = number * 13 % 48;
        const int top = number * 7 % 32;
        for (int y = top; y < top + 16; ++y) {
            for (int x = left; x < left + 16; ++x) {
                for (int c = 0; c < 3; ++c) {
                    image.rgba[static_cast<std::size_t>((y * 64 + x) * 4 + c)] = 255;
                }
            }
        }
        return image;
    }

    IndexProgress index(Engine& engine) {
        const Result<CollectionId> collection = engine.addCollection(pictures());
        EXPECT_TRUE(collection) << collection.error().message;
        IndexRecorder recorder;
        const Result<RequestId> request = engine.startIndexing(*collection, recorder.handler());
        EXPECT_TRUE(request) << request.error().message;
        IndexProgress progress = recorder.end();
        EXPECT_EQ(progress.request, *request);
        EXPECT_EQ(recorder.terminalCount(), 1U);
        return progress;
    }
    IndexSummary indexed(Engine& engine) {
        const IndexProgress progress = index(engine);
        EXPECT_EQ(progress.state, IndexState::Done)
            << (progress.error ? progress.error->message : std::string());
        return progress.summary.value_or(IndexSummary{});
    }

    static Prompt words(std::string text) {
        Prompt prompt;
        prompt.text = std::move(text);
        return prompt;
    }
    static Prompt picture(const std::filesystem::path& path) {
        Prompt prompt;
        prompt.image = ImageSource{ImageFile{path}, {}};
        return prompt;
    }
    static PromptEvent ask(Engine& engine, Prompt prompt) {
        PromptRecorder recorder;
        const Result<RequestId> request = engine.submit(std::move(prompt), recorder.handler());
        EXPECT_TRUE(request) << request.error().message;
        return recorder.end();
    }
    static std::vector<std::string> names(const PromptEvent& event) {
        std::vector<std::string> result;
        if (event.results) {
            for (const ResultRow& row : event.results->rows) {
                result.push_back(row.file.path.filename().string());
            }
        }
        return result;
    }

    TemporaryFolder folder_;
    std::shared_ptr<FakePack> pack_ = std::make_shared<FakePack>();
    std::uint64_t memoryBudgetBytes_ = 0;
    SpeechLoader speechLoader_;  ///< for open(); none: no spoken prompts
    std::unique_ptr<Engine> engine_;
};

}  // namespace bifocal::test
