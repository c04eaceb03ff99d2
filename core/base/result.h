// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/base/assert.h"

#include <chrono>
#include <string>
#include <utility>
#include <variant>

namespace bifocal {

/// The closed set of fault kinds. Zero is no code, so that a forgotten initialiser shows.
enum class ErrorCode {
    InvalidArgument = 1,  ///< the caller's input can never work
    NotFound,
    AlreadyExists,
    Corruption,         ///< stored bytes are not what was written
    Unsupported,        ///< well-formed, but nothing here can do it
    ResourceExhausted,  ///< memory, disk, file handles
    Busy,               ///< try again after Error::retryAfter
    Cancelled,          ///< the caller asked for it: nothing to report
    DeviceLost,         ///< the accelerator is gone until it is opened again
    Internal,           ///< a defect of ours that was caught in time
};

/// Stable lower-case name of a code, as written in JSON ("invalid_argument").
const char* toString(ErrorCode code);

/// What went wrong, in English, for logs; names its operand ("models/clip.pt: sha256 mismatch").
/// Threads: value.
struct [[nodiscard]] Error {
    ErrorCode code = ErrorCode::Internal;
    std::string message;
    std::chrono::milliseconds retryAfter{0};  ///< meaningful for Busy alone

    /// The same error with "context: " before its message.
    Error withContext(const std::string& context) const {
        return {code, context + ": " + message, retryAfter};
    }
};

/// A value or the reason why there is none; the surface of std::expected, so that it can become it.
/// Threads: value.
template <typename T>
class [[nodiscard]] Result {
public:
    using value_type = T;

    // Implicit on purpose: `return value;` and `return Error{...};` both read well.
    Result(T value) : state_(std::in_place_index<0>, std::move(value)) {}      // NOLINT
    Result(Error error) : state_(std::in_place_index<1>, std::move(error)) {}  // NOLINT

    bool has_value() const { return state_.index() == 0; }  // NOLINT: std::expected's name
    explicit operator bool() const { return has_value(); }

    T& value() & { return get(); }
    const T& value() const& { return get(); }
    T&& value() && { return std::move(get()); }
    T& operator*() & { return get(); }
    const T& operator*() const& { return get(); }
    T&& operator*() && { return std::move(get()); }
    T* operator->() { return &get(); }
    const T* operator->() const { return &get(); }

    const Error& error() const& {
        BIFOCAL_ASSERT(!has_value());
        return std::get<1>(state_);
    }
    Error&& error() && {
        BIFOCAL_ASSERT(!has_value());
        return std::get<1>(std::move(state_));
    }

private:
    T& get() {
        BIFOCAL_ASSERT(has_value());
        return std::get<0>(state_);
    }
    const T& get() const {
        BIFOCAL_ASSERT(has_value());
        return std::get<0>(state_);
    }

    std::variant<T, Error> state_;
};

/// Success without a value, or the reason why not.
template <>
class [[nodiscard]] Result<void> {
public:
    using value_type = void;

    Result() = default;
    Result(Error error) : state_(std::move(error)) {}  // NOLINT: implicit on purpose

    bool has_value() const { return state_.index() == 0; }  // NOLINT: std::expected's name
    explicit operator bool() const { return has_value(); }
    const Error& error() const& {
        BIFOCAL_ASSERT(!has_value());
        return std::get<1>(state_);
    }
    Error&& error() && {
        BIFOCAL_ASSERT(!has_value());
        return std::get<1>(std::move(state_));
    }

private:
    std::variant<std::monostate, Error> state_;
};

}  // namespace bifocal

#define BIFOCAL_DETAIL_JOIN2(a, b) a##b
#define BIFOCAL_DETAIL_JOIN(a, b) BIFOCAL_DETAIL_JOIN2(a, b)
// NOLINTBEGIN(bugprone-macro-parentheses): a declaration and a variable's name take none
#define BIFOCAL_DETAIL_TRY(temporary, declaration, expression) \
    auto temporary = (expression);                             \
    if (!temporary) {                                          \
        return std::move(temporary).error();                   \
    }                                                          \
    declaration = *std::move(temporary)
// NOLINTEND(bugprone-macro-parentheses)

/// BIFOCAL_TRY(auto bytes, readFile(path)); declares `bytes`, or returns the error to our caller.
#define BIFOCAL_TRY(declaration, expression) \
    BIFOCAL_DETAIL_TRY(BIFOCAL_DETAIL_JOIN(tryResult, __LINE__), declaration, expression)

/// BIFOCAL_CHECK(writeFile(path)); returns the error of a Result to our caller, drops its value.
#define BIFOCAL_CHECK(expression)                            \
    do {                                                     \
        if (auto checkResult = (expression); !checkResult) { \
            return std::move(checkResult).error();           \
        }                                                    \
    } while (false)
