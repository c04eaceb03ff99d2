// SPDX-License-Identifier: Apache-2.0
#include "app/cli/prompt_options.h"

#include "core/prompt/sound_file.h"

#include <array>
#include <charconv>
#include <chrono>
#include <cstdint>
#include <filesystem>
#include <optional>
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

Result<SortOrder> orderFrom(const Arguments& arguments) {
    const std::string name = arguments.value("--sort").value_or("best");
    for (const auto& [known, order] : {std::pair{"best", SortOrder::Best},
                                       std::pair{"newest", SortOrder::Newest},
                                       std::pair{"oldest", SortOrder::Oldest},
                                       std::pair{"largest", SortOrder::Largest},
                                       std::pair{"smallest", SortOrder::Smallest},
                                       std::pair{"name", SortOrder::Name}}) {
        if (name == known) {
            return order;
        }
    }
    return Error{ErrorCode::InvalidArgument,
                 "--sort: '" + name + "' is none of best, newest, oldest, largest, smallest, name"};
}

/// The beginning of a day, "2024-12-31", in UTC.
Result<std::optional<std::chrono::sys_seconds>> dayFrom(const Arguments& arguments,
                                                        const std::string& option) {
    const auto text = arguments.value(option);
    if (!text) {
        return std::optional<std::chrono::sys_seconds>{};
    }
    std::array<int, 3> numbers{};
    const char* place = text->data();
    const char* const end = text->data() + text->size();
    bool isDay = true;
    for (std::size_t i = 0; i < numbers.size() && isDay; ++i) {
        const auto [rest, code] = std::from_chars(place, end, numbers[i]);
        const bool isLast = i + 1 == numbers.size();
        isDay = code == std::errc{} && numbers[i] > 0 &&
                (isLast ? rest == end : (rest != end && *rest == '-'));
        place = isDay && !isLast ? rest + 1 : rest;
    }
    const std::chrono::year_month_day day{std::chrono::year(numbers[0]),
                                          std::chrono::month(static_cast<unsigned>(numbers[1])),
                                          std::chrono::day(static_cast<unsigned>(numbers[2]))};
    if (!isDay || numbers[0] > 9999 || !day.ok()) {
        return Error{ErrorCode::InvalidArgument,
                     option + ": '" + *text + "' is no day like 2024-12-31"};
    }
    return std::optional<std::chrono::sys_seconds>(std::chrono::sys_days(day));
}

Result<Filters> filtersFrom(const Arguments& arguments) {
    constexpr long kMostKilobytes = 1L << 50U;
    Filters filters;
    filters.types = arguments.values("--type");
    BIFOCAL_TRY(filters.modifiedAfter, dayFrom(arguments, "--after"));
    BIFOCAL_TRY(filters.modifiedBefore, dayFrom(arguments, "--before"));
    BIFOCAL_TRY(const long least, arguments.integer("--min-kb", 0, 0, kMostKilobytes));
    filters.smallestBytes = static_cast<std::uint64_t>(least) * 1000;
    if (arguments.has("--max-kb")) {
        BIFOCAL_TRY(const long most, arguments.integer("--max-kb", 0, 0, kMostKilobytes));
        filters.largestBytes = static_cast<std::uint64_t>(most) * 1000;
    }
    if (const auto folder = arguments.value("--folder")) {
        std::error_code code;
        filters.folder = std::filesystem::weakly_canonical(*folder, code);
        if (code || folder->empty()) {
            return Error{ErrorCode::InvalidArgument, "--folder: '" + *folder + "' is no folder"};
        }
    }
    return filters;
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
    BIFOCAL_TRY(prompt.order, orderFrom(arguments));
    BIFOCAL_TRY(prompt.filters, filtersFrom(arguments));
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
    own.push_back({"--sort"});
    own.push_back({"--type", OptionSpec::Value::Many});
    own.push_back({"--folder"});
    own.push_back({"--after"});
    own.push_back({"--before"});
    own.push_back({"--min-kb"});
    own.push_back({"--max-kb"});
    own.push_back({"-k"});
    return own;
}

}  // namespace bifocal::cli
