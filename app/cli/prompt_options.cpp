// SPDX-License-Identifier: Apache-2.0
#include "app/cli/prompt_options.h"

#include "core/prompt/sound_file.h"

#include <array>
#include <charconv>
#include <chrono>
#include <string>
#include <utility>

namespace bifocal::cli {
namespace {

constexpr long kMostPixels = 1L << 24U;

/// "X,Y,W,H"
Result<PixelRect> parseRegion(const std::string& text) {
    std::array<int, 4> numbers{};
    const char* place = text.data();
    const char* const end = text.data() + text.size();
    for (std::size_t i = 0; i < numbers.size(); ++i) {
        const auto [rest, code] = std::from_chars(place, end, numbers[i]);
        const bool isLast = i + 1 == numbers.size();
        if (code != std::errc{} || numbers[i] < 0 || numbers[i] > kMostPixels ||
            (isLast ? rest != end : (rest == end || *rest != ','))) {
            return Error{ErrorCode::InvalidArgument,
                         "--region: '" + text + "' is not X,Y,WIDTH,HEIGHT in pixels"};
        }
        place = rest + 1;
    }
    return PixelRect{numbers[0], numbers[1], numbers[2], numbers[3]};
}

Result<Strictness> strictnessFrom(const Arguments& arguments) {
    const std::string name = arguments.value("--strictness").value_or("any");
    for (const auto& [known, strictness] : {std::pair{"any", Strictness::Any},
                                            std::pair{"fair", Strictness::Fair},
                                            std::pair{"strong", Strictness::Strong}}) {
        if (name == known) {
            return strictness;
        }
    }
    return Error{ErrorCode::InvalidArgument,
                 "--strictness: '" + name + "' is none of any, fair, strong"};
}

}  // namespace

Result<Prompt> promptFrom(const Arguments& arguments) {
    Prompt prompt;
    prompt.text = arguments.value("--text").value_or("");
    prompt.negatives = arguments.values("--minus");
    BIFOCAL_TRY(prompt.balance, arguments.number("--balance", 0.5, 0, 1));
    BIFOCAL_TRY(prompt.nameWeight, arguments.number("--names", 1, 0, 1));
    BIFOCAL_TRY(prompt.strictness, strictnessFrom(arguments));
    BIFOCAL_TRY(const long count, arguments.integer("-k", 10, 1, kMaxResultCount));
    prompt.resultCount = static_cast<int>(count);
    if (const auto file = arguments.value("--speech")) {
        BIFOCAL_TRY(prompt.speech, readSpeech(*file));
    }
    if (const auto file = arguments.value("--image")) {
        if (file->empty()) {
            return Error{ErrorCode::InvalidArgument, "--image: the name is empty"};
        }
        ImageSource source;
        source.source = ImageFile{*file};
        if (arguments.has("--at")) {
            BIFOCAL_TRY(const long time, arguments.integer("--at", 0, 0, 1L << 40U));
            source.source = VideoFrame{*file, std::chrono::milliseconds(time)};
        }
        if (const auto region = arguments.value("--region")) {
            BIFOCAL_TRY(source.region, parseRegion(*region));
        }
        prompt.image = std::move(source);
    } else if (arguments.has("--at") || arguments.has("--region")) {
        return Error{ErrorCode::InvalidArgument, "--at and --region need --image"};
    }
    return prompt;
}

std::vector<OptionSpec> withPromptOptions(std::vector<OptionSpec> own) {
    own.push_back({"--text"});
    own.push_back({"--speech"});
    own.push_back({"--image"});
    own.push_back({"--at"});
    own.push_back({"--region"});
    own.push_back({"--minus", OptionSpec::Value::Many});
    own.push_back({"--balance"});
    own.push_back({"--names"});
    own.push_back({"--strictness"});
    own.push_back({"-k"});
    return own;
}

}  // namespace bifocal::cli
