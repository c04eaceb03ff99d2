// SPDX-License-Identifier: Apache-2.0
#include "app/cli/program.h"

#include "app/cli/command.h"

#include <algorithm>
#include <iostream>

namespace bifocal::cli {
namespace {

void printGeneralHelp() {
    std::cout << "bifocal-cli finds pictures by what they look like and by what words say.\n\n"
                 "usage: bifocal-cli COMMAND [OPTIONS]\n\ncommands:\n";
    for (const Command& command : commands()) {
        std::string name(command.name);
        name.resize(10, ' ');
        std::cout << "  " << name << command.summary << '\n';
    }
    std::cout
        << "\n'bifocal-cli COMMAND --help' explains one of them.\n"
           "Exit status: 0 done, 1 failed, 2 wrong arguments, 130 stopped by Ctrl-C. With --json an error is an\n"
           "object on standard output, otherwise a sentence on standard error.\n";
}

}  // namespace

int report(const Error& error, bool asJson) {
    if (asJson) {
        std::cout << errorJson(error) << '\n';
    } else {
        std::cerr << "bifocal-cli: " << error.message << '\n';
    }
    return error.code == ErrorCode::InvalidArgument ? kExitUsage : kExitFailed;
}

int runProgram(const std::vector<std::string>& words) {
    if (words.empty() || words.front() == "--help" || words.front() == "-h" ||
        words.front() == "help") {
        printGeneralHelp();
        return words.empty() ? kExitUsage : kExitDone;
    }
    if (words.front() == "--version") {
        std::cout << "bifocal-cli " BIFOCAL_VERSION "\n";
        return kExitDone;
    }
    const std::vector<std::string> rest(words.begin() + 1, words.end());
    const auto asks = [&words](const char* option) {
        return std::find(words.begin(), words.end(), option) != words.end();
    };
    const auto& all = commands();
    const auto command = std::find_if(
        all.begin(), all.end(), [&](const Command& entry) { return entry.name == words.front(); });
    if (command == all.end()) {
        return report(
            {ErrorCode::InvalidArgument, words.front() + ": no such command; --help lists them"},
            asks("--json"));
    }
    if (asks("--help") || asks("-h")) {
        std::cout << command->manual;
        return kExitDone;
    }
    const auto arguments = Arguments::parse(rest, command->options);
    if (!arguments) {
        return report(arguments.error(), asks("--json"));
    }
    const Result<int> outcome = command->run(*arguments);
    return outcome ? *outcome : report(outcome.error(), arguments->has("--json"));
}

}  // namespace bifocal::cli
