// SPDX-License-Identifier: Apache-2.0
#include "app/cli/progress_line.h"

#include <algorithm>
#include <cstdio>
#include <string>

#include <unistd.h>

namespace bifocal::cli {

ProgressLine::ProgressLine(bool isWanted) : isVisible_(isWanted && ::isatty(STDERR_FILENO) == 1) {}

void ProgressLine::show(const IndexProgress& progress) {
    if (!isVisible_) {
        return;
    }
    constexpr std::size_t kWidth = 30;
    const std::size_t filled =
        progress.foundCount == 0
            ? 0
            : std::min<std::size_t>(kWidth, kWidth * progress.doneCount / progress.foundCount);
    std::string bar(filled, '#');
    bar.resize(kWidth, ' ');
    std::fprintf(stderr,
                 "\r[%s] %llu of %llu%s  %.0f/s",
                 bar.c_str(),
                 static_cast<unsigned long long>(progress.doneCount),
                 static_cast<unsigned long long>(progress.foundCount),
                 progress.state == IndexState::Walking ? "+" : "",
                 progress.picturesPerSecond);
    if (progress.secondsLeft) {
        std::fprintf(stderr, "  %.0f s left", *progress.secondsLeft);
    }
    if (progress.failedCount > 0) {
        std::fprintf(
            stderr, "  %llu failed", static_cast<unsigned long long>(progress.failedCount));
    }
    std::fputs("\033[K", stderr);
    wasShown_ = true;
}

void ProgressLine::finish() {
    if (wasShown_) {
        std::fputc('\n', stderr);
    }
}

}  // namespace bifocal::cli
