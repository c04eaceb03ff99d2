// SPDX-License-Identifier: Apache-2.0
#include "app/cli/command.h"
#include "app/cli/program.h"
#include "core/imaging/decode.h"
#include "core/inference/torch/torch_packs.h"

#include <cstdio>
#include <exception>

#include <unistd.h>

namespace {

int start(int argc, char** argv) {
    if (!bifocal::torch_backend::environmentIsReady()) {
        // libgomp reads its environment when it is loaded, before main(): start over, once.
        ::execv("/proc/self/exe", argv);
        std::perror("bifocal-cli: cannot start over");
        return bifocal::cli::kExitFailed;
    }
    if (const auto ready = bifocal::imaging::initialize(argv[0]); !ready) {
        return bifocal::cli::report(ready.error(), false);
    }
    return bifocal::cli::runProgram({argv + 1, argv + argc});
}

}  // namespace

int main(int argc, char** argv) {
    try {
        return start(argc, argv);
    } catch (const std::exception& fault) {  // memory, or the standard library's own streams
        std::fprintf(stderr, "bifocal-cli: %s\n", fault.what());
        return bifocal::cli::kExitFailed;
    }
}
