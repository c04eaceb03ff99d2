// SPDX-License-Identifier: Apache-2.0
#include "app/cli/command.h"

#include "core/base/files.h"
#include "core/inference/torch/torch_packs.h"

#include <algorithm>
#include <cstdlib>
#include <future>
#include <nlohmann/json.hpp>
#include <thread>
#include <utility>

#include "models/convert/whisper.h"

namespace bifocal::cli {

const std::vector<Command>& commands() {
    static const std::vector<Command> kCommands{indexCommand(),
                                                forgetCommand(),
                                                queryCommand(),
                                                evalCommand(),
                                                benchCommand(),
                                                labCommand(),
                                                loadCommand(),
                                                modelsCommand(),
                                                transcribeCommand(),
                                                traceCommand(),
                                                doctorCommand()};
    return kCommands;
}

std::filesystem::path packsFolder(const Arguments& arguments) {
    if (const auto folder = arguments.value("--packs")) {
        return *folder;
    }
    const char* fromEnvironment = std::getenv("BIFOCAL_PACKS");  // NOLINT(concurrency-mt-unsafe)
    return fromEnvironment != nullptr ? std::filesystem::path(fromEnvironment)
                                      : dataHome() / "packs";
}

std::filesystem::path packFolder(const Arguments& arguments) {
    return packsFolder(arguments) / arguments.value("--pack").value_or("starter");
}

std::filesystem::path speechFolder(const Arguments& arguments) {
    return packsFolder(arguments) / models::kWhisperFolder;
}

Result<std::unique_ptr<Engine>> openEngine(const Arguments& arguments) {
    BIFOCAL_TRY(const std::string library, arguments.required("--library"));
    return openEngine(library, arguments);
}

Result<std::unique_ptr<Engine>> openExisting(const Arguments& arguments) {
    BIFOCAL_TRY(const std::string library, arguments.required("--library"));
    std::error_code ignored;
    if (!std::filesystem::exists(std::filesystem::path(library) / "library.sqlite", ignored)) {
        return Error{ErrorCode::NotFound, library + ": no library here; 'index' makes one"};
    }
    return openEngine(library, arguments);
}

Result<std::unique_ptr<Engine>> openEngine(const std::filesystem::path& library,
                                           const Arguments& arguments) {
    EngineConfig config;
    config.library = library;
    config.packFolder = packFolder(arguments);
    config.cache = cacheHome();
    config.speechFolder = speechFolder(arguments);
    config.batchWorkerCount = std::clamp(std::thread::hardware_concurrency(), 1U, 8U);
    EngineParts parts;
    parts.loadPack = [](const std::filesystem::path& folder) {
        return torch_backend::loadPack(folder);
    };
    parts.allocatorBytes = torch_backend::allocatedBytes;
    parts.loadSpeech = [](const std::filesystem::path& folder) {
        return torch_backend::loadSpeech(folder);
    };
    return Engine::open(std::move(config), std::move(parts));
}

Result<std::shared_ptr<const ResultSet>> ask(Engine& engine, Prompt prompt) {
    using Answer = Result<std::shared_ptr<const ResultSet>>;
    auto promise = std::make_shared<std::promise<Answer>>();
    std::future<Answer> answer = promise->get_future();
    BIFOCAL_CHECK(engine.submit(std::move(prompt), [promise](const PromptEvent& event) {
        if (event.kind == PromptEventKind::Done) {
            promise->set_value(event.results);
        } else if (event.kind == PromptEventKind::Failed) {
            promise->set_value(*event.error);
        } else if (event.kind == PromptEventKind::Cancelled) {
            promise->set_value(Error{ErrorCode::Cancelled, "cancelled"});
        }
    }));
    return answer.get();
}

std::vector<OptionSpec> withEngineOptions(std::vector<OptionSpec> own) {
    own.push_back({"--library"});
    own.push_back({"--packs"});
    own.push_back({"--pack"});
    return own;
}

std::string errorJson(const Error& error) {
    const nlohmann::json document{
        {"error", {{"code", toString(error.code)}, {"message", error.message}}}};
    return document.dump(-1, ' ', false, nlohmann::json::error_handler_t::replace);
}

}  // namespace bifocal::cli
