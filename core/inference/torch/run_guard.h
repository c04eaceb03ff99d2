// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/base/result.h"

#include <ATen/Parallel.h>
#include <c10/core/InferenceMode.h>
#include <c10/util/Exception.h>

#include <exception>
#include <new>
#include <utility>

namespace bifocal::torch_backend {

/// Puts the calling thread in the state every run needs: inference mode, and its own number of
/// OpenMP threads. Both are per thread, so it is made inside each run.
class RunGuard {
public:
    explicit RunGuard(int threadCount) {
        // The first read initialises this thread's number from the global one; a set before it
        // would be lost.
        if (at::get_num_threads() != threadCount) {
            at::set_num_threads(threadCount);
        }
    }

private:
    c10::InferenceMode inference_;
};

/// Gives the calling thread another number of OpenMP threads until it ends: oneDNN chooses the
/// order of reordered weights for the number it sees, and puts them in another order at every run
/// that has another one.
class ThreadCountScope {
public:
    explicit ThreadCountScope(int threadCount) : before_(at::get_num_threads()) {
        at::set_num_threads(threadCount);
    }
    ThreadCountScope(const ThreadCountScope&) = delete;
    ThreadCountScope& operator=(const ThreadCountScope&) = delete;
    ~ThreadCountScope() { at::set_num_threads(before_); }

private:
    int before_;
};

/// Runs `body` (which returns a Result) and turns whatever LibTorch throws into an Error.
template <typename Body>
auto guarded(const char* what, Body&& body) -> decltype(body()) {
    try {
        return std::forward<Body>(body)();
    } catch (const c10::OutOfMemoryError& error) {
        return Error{ErrorCode::ResourceExhausted,
                     std::string(what) + ": " + error.what_without_backtrace()};
    } catch (const c10::Error& error) {
        return Error{ErrorCode::Internal,
                     std::string(what) + ": " + error.what_without_backtrace()};
    } catch (const std::bad_alloc&) {
        return Error{ErrorCode::ResourceExhausted, std::string(what) + ": out of memory"};
    } catch (const std::exception& error) {
        return Error{ErrorCode::Internal, std::string(what) + ": " + error.what()};
    }
}

}  // namespace bifocal::torch_backend
