// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "app/cli/arguments.h"
#include "core/base/result.h"
#include "core/engine/engine.h"

#include <filesystem>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

namespace bifocal::cli {

/// Exit codes are part of the contract: 0 done, 1 failed, 2 wrong arguments.
inline constexpr int kExitDone = 0;
inline constexpr int kExitFailed = 1;
inline constexpr int kExitUsage = 2;

/// One verb of the program. Threads: value.
struct Command {
    std::string_view name;
    std::string_view summary;  ///< one line of the general help
    std::string_view manual;   ///< what `bifocal-cli NAME --help` prints
    std::vector<OptionSpec> options;
    /// Prints its answer to standard output. An error is printed by the caller.
    Result<int> (*run)(const Arguments& arguments);
};

/// All verbs, in the order of the general help.
const std::vector<Command>& commands();

// One definition each, in <name>_command.cpp.
Command indexCommand();
Command forgetCommand();
Command queryCommand();
Command evalCommand();
Command benchCommand();
Command labCommand();
Command loadCommand();
Command modelsCommand();
Command transcribeCommand();
Command traceCommand();
Command doctorCommand();

/// Folder that holds the packs: --packs, else BIFOCAL_PACKS, else the data folder of this user.
std::filesystem::path packsFolder(const Arguments& arguments);

/// Folder of the pack named by --pack (starter) in packsFolder().
std::filesystem::path packFolder(const Arguments& arguments);

/// Folder of the recogniser in packsFolder(), whether it is there or not.
std::filesystem::path speechFolder(const Arguments& arguments);

/// Opens the engine on --library with the pack named by --pack (starter). `backgroundWorkers` as in
/// EngineConfig; 0: one per core.
Result<std::unique_ptr<Engine>> openEngine(const Arguments& arguments);
/// The same, for commands that only read: NotFound when there is no library at --library.
Result<std::unique_ptr<Engine>> openExisting(const Arguments& arguments);
/// The same on an explicit library.
Result<std::unique_ptr<Engine>> openEngine(const std::filesystem::path& library,
                                           const Arguments& arguments);

/// Runs a prompt to its end: the final answer, or the error (Cancelled too).
Result<std::shared_ptr<const ResultSet>> ask(Engine& engine, Prompt prompt);

/// The options that openEngine() reads, for a command's table.
std::vector<OptionSpec> withEngineOptions(std::vector<OptionSpec> own);

/// {"error":{"code":…,"message":…}}, one line.
std::string errorJson(const Error& error);

}  // namespace bifocal::cli
