// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/base/result.h"

#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace bifocal::cli {

/// What a command's own table says about one option.
struct OptionSpec {
    std::string_view name;  ///< "--library", or "-k"
    enum class Value { None = 1, One, Many } value = Value::One;
};

/// The words after the command's name, sorted out. Threads: value.
class Arguments {
public:
    /// InvalidArgument: an option that the command does not know, one without its value, one given
    /// twice, or words that are not options when there should be none. `--name=value` works too,
    /// and everything after `--` is a plain word.
    static Result<Arguments> parse(const std::vector<std::string>& words,
                                   const std::vector<OptionSpec>& options);

    bool has(std::string_view option) const;
    std::optional<std::string> value(std::string_view option) const;
    std::vector<std::string> values(std::string_view option) const;
    const std::vector<std::string>& words() const { return words_; }

    /// InvalidArgument when it is not there, or is not a number in [least, most].
    Result<double> number(std::string_view option,
                          double fallback,
                          double least,
                          double most) const;
    Result<long> integer(std::string_view option, long fallback, long least, long most) const;
    Result<std::string> required(std::string_view option) const;

private:
    std::map<std::string, std::vector<std::string>, std::less<>> options_;
    std::vector<std::string> words_;
};

}  // namespace bifocal::cli
