// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "app/cli/load/arrivals.h"
#include "app/cli/load/open_loop.h"
#include "core/base/result.h"
#include "core/engine/engine.h"
#include "core/prompt/prompt.h"

#include <cstddef>
#include <filesystem>
#include <span>
#include <vector>

namespace bifocal::cli {

/// Prompts that suit the demo collection.
std::span<const char* const> demoTexts();

/// Prompts without end: the demo's words and the pictures of a library, in turn. Threads: value;
/// next() needs the caller's exclusion.
class PromptSource {
public:
    /// Requires: at least one picture.
    explicit PromptSource(std::vector<std::filesystem::path> pictures);
    /// The newest pictures of the engine's library, up to 200. NotFound when it is empty.
    static Result<PromptSource> ofLibrary(Engine& engine);

    Prompt next(LoadKind kind);

private:
    std::vector<std::filesystem::path> pictures_;
    std::size_t textCount_ = 0;
    std::size_t pictureCount_ = 0;
};

/// Starts prompts of `source` on `engine`; both must outlive what is in flight.
PromptStarter startOn(Engine& engine, PromptSource& source);

/// Asks some prompts of every kind that the mix holds, one after the other: the first waits for the
/// models, the next ones grow memory that then stays. The first error. Threads: compatible.
Result<void> warmUp(Engine& engine, PromptSource& source, const LoadMix& mix);

}  // namespace bifocal::cli
