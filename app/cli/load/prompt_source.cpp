// SPDX-License-Identifier: Apache-2.0
#include "app/cli/load/prompt_source.h"

#include "app/cli/command.h"
#include "core/base/assert.h"

#include <array>
#include <future>
#include <memory>
#include <optional>
#include <utility>

namespace bifocal::cli {
namespace {

constexpr std::size_t kMostPictures = 200;
constexpr int kWarmUpRounds = 5;

constexpr std::array kTexts{"a red flower",
                            "a small dog",
                            "a boat on the water",
                            "an old steam train",
                            "fruit on a plate",
                            "a planet seen from space",
                            "a musical instrument",
                            "somebody playing football",
                            "a green leaf",
                            "a house with a roof",
                            "a fish under water",
                            "a hat for the winter",
                            "a yellow bird",
                            "a tool for the garden",
                            "the flag of a country",
                            "a cake with candles"};

}  // namespace

std::span<const char* const> demoTexts() {
    return kTexts;
}

PromptSource::PromptSource(std::vector<std::filesystem::path> pictures)
    : pictures_(std::move(pictures)) {
    BIFOCAL_ASSERT(!pictures_.empty());
}

Result<PromptSource> PromptSource::ofLibrary(Engine& engine) {
    using Rows = Result<std::vector<ResultRow>>;
    auto promise = std::make_shared<std::promise<Rows>>();
    std::future<Rows> answer = promise->get_future();
    engine.browse(std::nullopt, 0, kMostPictures, [promise](Rows rows) {
        promise->set_value(std::move(rows));
    });
    BIFOCAL_TRY(const std::vector<ResultRow> rows, answer.get());
    if (rows.empty()) {
        return Error{ErrorCode::NotFound, "the library is empty: index a folder first"};
    }
    std::vector<std::filesystem::path> pictures;
    pictures.reserve(rows.size());
    for (const ResultRow& row : rows) {
        pictures.push_back(row.file.path);
    }
    return PromptSource(std::move(pictures));
}

Prompt PromptSource::next(LoadKind kind) {
    Prompt prompt;
    if (kind != LoadKind::Image) {
        prompt.text = kTexts[textCount_++ % kTexts.size()];
    }
    if (kind != LoadKind::Text) {
        prompt.image = ImageSource{ImageFile{pictures_[pictureCount_++ % pictures_.size()]}, {}};
    }
    return prompt;
}

PromptStarter startOn(Engine& engine, PromptSource& source) {
    return
        [&engine, &source](LoadKind kind, std::function<void(Result<void>)> onEnd) -> Result<void> {
            BIFOCAL_CHECK(engine.submit(
                source.next(kind), [onEnd = std::move(onEnd)](const PromptEvent& event) {
                    if (event.kind == PromptEventKind::Failed) {
                        onEnd(*event.error);
                    } else if (event.kind == PromptEventKind::Cancelled) {
                        onEnd(Error{ErrorCode::Cancelled, "a prompt was cancelled"});
                    } else if (event.kind == PromptEventKind::Done) {
                        onEnd({});
                    }
                }));
            return {};
        };
}

Result<void> warmUp(Engine& engine, PromptSource& source, const LoadMix& mix) {
    for (int round = 0; round < kWarmUpRounds; ++round) {
        for (const LoadKind kind : kLoadKinds) {
            if (mix.weightOf(kind) > 0) {
                BIFOCAL_CHECK(ask(engine, source.next(kind)));
            }
        }
    }
    return {};
}

}  // namespace bifocal::cli
