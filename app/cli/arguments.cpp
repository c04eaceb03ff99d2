// SPDX-License-Identifier: Apache-2.0
#include "app/cli/arguments.h"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <utility>

namespace bifocal::cli {
namespace {

Error usage(std::string message) {
    return {ErrorCode::InvalidArgument, std::move(message)};
}

/// A value that reads like another option of the command is a forgotten value; `--text=--json` says
/// that it is meant.
bool isOption(const std::string& word, const std::vector<OptionSpec>& options) {
    return std::any_of(options.begin(), options.end(), [&](const OptionSpec& option) {
        return option.name == word;
    });
}

template <typename Number>
Result<Number> parseNumber(std::string_view option,
                           const std::string& text,
                           Number least,
                           Number most) {
    Number number{};
    const char* const end = text.data() + text.size();
    const auto [rest, code] = std::from_chars(text.data(), end, number);
    // Written so that NaN is refused as well.
    if (code != std::errc{} || rest != end || !(number >= least && number <= most)) {
        std::string range = std::to_string(least);
        range += " and ";
        range += std::to_string(most);
        return usage(std::string(option) + ": '" + text + "' is not a number between " + range);
    }
    return number;
}

}  // namespace

Result<Arguments> Arguments::parse(const std::vector<std::string>& words,
                                   const std::vector<OptionSpec>& options) {
    Arguments arguments;
    bool onlyWords = false;
    for (std::size_t i = 0; i < words.size(); ++i) {
        const std::string& word = words[i];
        if (onlyWords || word.size() < 2 || word.front() != '-') {
            arguments.words_.push_back(word);
            continue;
        }
        if (word == "--") {
            onlyWords = true;
            continue;
        }
        const std::size_t equals = word.starts_with("--") ? word.find('=') : std::string::npos;
        const std::string name = word.substr(0, equals);
        const auto spec = std::find_if(options.begin(),
                                       options.end(),
                                       [&](const OptionSpec& entry) { return entry.name == name; });
        if (spec == options.end()) {
            return usage(name + ": no such option; --help lists them");
        }
        std::vector<std::string>& values = arguments.options_[name];
        if (!values.empty() && spec->value != OptionSpec::Value::Many) {
            return usage(name + ": given twice");
        }
        if (spec->value == OptionSpec::Value::None) {
            if (equals != std::string::npos) {
                return usage(name + ": takes no value");
            }
            values.emplace_back();
        } else if (equals != std::string::npos) {
            values.push_back(word.substr(equals + 1));
        } else if (i + 1 < words.size() && !isOption(words[i + 1], options)) {
            values.push_back(words[++i]);
        } else {
            return usage(name + ": its value is missing");
        }
    }
    return arguments;
}

bool Arguments::has(std::string_view option) const {
    return options_.contains(option);
}

std::optional<std::string> Arguments::value(std::string_view option) const {
    const auto found = options_.find(option);
    return found == options_.end() ? std::nullopt : std::optional(found->second.front());
}

std::vector<std::string> Arguments::values(std::string_view option) const {
    const auto found = options_.find(option);
    return found == options_.end() ? std::vector<std::string>{} : found->second;
}

Result<double> Arguments::number(std::string_view option,
                                 double fallback,
                                 double least,
                                 double most) const {
    const std::optional<std::string> text = value(option);
    return text ? parseNumber<double>(option, *text, least, most) : Result<double>(fallback);
}

Result<long> Arguments::integer(std::string_view option,
                                long fallback,
                                long least,
                                long most) const {
    const std::optional<std::string> text = value(option);
    return text ? parseNumber<long>(option, *text, least, most) : Result<long>(fallback);
}

Result<std::string> Arguments::required(std::string_view option) const {
    std::optional<std::string> text = value(option);
    if (!text || text->empty()) {
        return usage(std::string(option) + " is needed");
    }
    return *std::move(text);
}

}  // namespace bifocal::cli
