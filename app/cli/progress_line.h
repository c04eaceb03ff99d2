// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/pipeline/index_progress.h"

namespace bifocal::cli {

/// One line on standard error that is written over while indexing goes on; nothing when standard
/// error is not a terminal. Threads: compatible; an index handler's calls never overlap.
class ProgressLine {
public:
    explicit ProgressLine(bool isWanted);

    void show(const IndexProgress& progress);
    void finish();

private:
    bool isVisible_;
    bool wasShown_ = false;
};

}  // namespace bifocal::cli
