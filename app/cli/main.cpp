// SPDX-License-Identifier: Apache-2.0
#include "app/cli/command.h"
#include "core/imaging/decode.h"
#include "core/inference/torch/torch_packs.h"

#include <algorithm>
#include <cstdio>
#include <exception>
#include <iostream>
#include <string>
#include <vector>

#include <unistd.h>

namespace {

using bifocal::cli::Command;

void printGeneralHelp() {
    std::cout << "bifocal-cli finds pictures by what they look like and by what words say.\n\n"
                 "usage: bifocal-cli COMMAND [OPTIONS]\n\ncommands:\n";
    for (const Command& command : bifocal::cli::commands()) {
        std::string name(command.name);
        name.resize(10, ' ');
        std::cout << "  " << name << command.summary << '\n';
    }
    std::cout << "\n'bifocal-cli COMMAND --help' explains one of them.\n"
                 "Exit status: 0 done, 1 failed, 2 wrong arguments. With --json an error is an\n"
                 "object on standard output, otherwise a sentence on standard error.\n";
}

int report(const bifocal::Error& error, bool asJson) {
    if (asJson) {
        std::cout << bifocal::cli::errorJson(error) << '\n';
    } else {
        std::cerr << "bifocal-cli: " << error.message << '\n';
    }
    return error.code == bifocal::ErrorCode::InvalidArgument ? bifocal::cli::kExitUsage
                                                             : bifocal::cli::kExitFailed;
}

int run(const std::vector<std::string>& words) {
    if (words.empty() || words.front() == "--help" || words.front() == "-h" ||
        words.front() == "help") {
        printGeneralHelp();
        return words.empty() ? bifocal::cli::kExitUsage : bifocal::cli::kExitDone;
    }
    if (words.front() == "--version") {
        std::cout << "bifocal-cli " BIFOCAL_VERSION "\n";
        return bifocal::cli::kExitDone;
    }
    const std::vector<std::string> rest(words.begin() + 1, words.end());
    const auto asks = [&rest](const char* option) {
        return std::find(rest.begin(), rest.end(), option) != rest.end();
    };
    const auto& all = bifocal::cli::commands();
    const auto command = std::find_if(
        all.begin(), all.end(), [&](const Command& entry) { return entry.name == words.front(); });
    if (command == all.end()) {
        return report({bifocal::ErrorCode::InvalidArgument,
                       words.front() + ": no such command; --help lists them"},
                      asks("--json"));
    }
    if (asks("--help") || asks("-h")) {
        std::cout << command->manual;
        return bifocal::cli::kExitDone;
    }
    const auto arguments = bifocal::cli::Arguments::parse(rest, command->options);
    if (!arguments) {
        return report(arguments.error(), asks("--json"));
    }
    const bifocal::Result<int> outcome = command->run(*arguments);
    return outcome ? *outcome : report(outcome.error(), arguments->has("--json"));
}

int start(int argc, char** argv) {
    if (!bifocal::torch_backend::environmentIsReady()) {
        // libgomp reads its environment when it is loaded, before main(): start over, once.
        ::execv("/proc/self/exe", argv);
        std::perror("bifocal-cli: cannot start over");
        return bifocal::cli::kExitFailed;
    }
    if (const auto ready = bifocal::imaging::initialize(argv[0]); !ready) {
        return report(ready.error(), false);
    }
    return run({argv + 1, argv + argc});
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
