// SPDX-License-Identifier: Apache-2.0
#include "app/cli/interrupt.h"

#include <csignal>
#include <utility>

#include <pthread.h>
#include <unistd.h>

namespace bifocal::cli {
namespace {

sigset_t endSignals() {
    sigset_t signals;
    sigemptyset(&signals);
    sigaddset(&signals, SIGINT);
    sigaddset(&signals, SIGTERM);
    return signals;
}

}  // namespace

Interrupt::Interrupt(std::string farewell) : farewell_(std::move(farewell)) {
    const sigset_t signals = endSignals();
    pthread_sigmask(SIG_BLOCK, &signals, nullptr);
    thread_ = std::thread([this] { wait(); });
}

Interrupt::~Interrupt() {
    isOver_ = true;
    // Wakes sigwait() below; the signal is blocked, so it ends nothing.
    pthread_kill(thread_.native_handle(), SIGTERM);  // NOLINT(bugprone-bad-signal-to-kill-thread)
    thread_.join();
}

void Interrupt::watch(Engine& engine) {
    const std::lock_guard lock(mutex_);
    engine_ = &engine;
}

void Interrupt::cancels(RequestId request) {
    const std::lock_guard lock(mutex_);
    request_ = request;
}

void Interrupt::wait() {
    const sigset_t signals = endSignals();
    int signal = 0;
    while (sigwait(&signals, &signal) == 0 && !isOver_) {
        lastSignal_ = signal;
        Engine* engine = nullptr;
        RequestId request;
        {
            const std::lock_guard lock(mutex_);
            engine = engine_;
            request = request_;
        }
        if (engine == nullptr || !request) {
            // Nothing to be done when nobody reads it.
            (void)!::write(STDOUT_FILENO, farewell_.data(), farewell_.size());
            _exit(128 + signal);
        }
        engine->cancel(request);
    }
}

}  // namespace bifocal::cli
