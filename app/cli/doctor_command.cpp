// SPDX-License-Identifier: Apache-2.0
#include "app/cli/command.h"

#include <cstdint>
#include <iostream>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

namespace bifocal::cli {
namespace {

constexpr std::string_view kManual =
    R"(bifocal-cli doctor - check that a library is whole and that its vectors are its pictures'

usage: bifocal-cli doctor --library L [--vectors N|all] [--json] [--packs P] [--pack NAME]

Checks the database, every checksum of the vectors, and that each file has its vector. Then
encodes N pictures again (32; "all" for every one), each alone, and compares: the stored
vector must be the picture's own (cosine 0.999) and find it first. Never writes: a torn tail
or a leftover vector is put right by the next 'index'.

Exit status 0 when nothing is wrong, 1 otherwise.

JSON: {"clean":true,"pictures":n,"problems":[""]}
)";

Result<int> run(const Arguments& arguments) {
    std::size_t sample = SIZE_MAX;
    if (arguments.value("--vectors").value_or("") != "all") {
        BIFOCAL_TRY(const long count, arguments.integer("--vectors", 32, 0, 1L << 40U));
        sample = static_cast<std::size_t>(count);
    }
    BIFOCAL_TRY(const std::unique_ptr<Engine> engine, openExisting(arguments));
    BIFOCAL_TRY(const std::vector<std::string> problems, engine->check(sample));
    const std::uint64_t pictures = engine->status().pictureCount;
    if (arguments.has("--json")) {
        const nlohmann::json document{
            {"clean", problems.empty()}, {"pictures", pictures}, {"problems", problems}};
        std::cout << document.dump(-1, ' ', false, nlohmann::json::error_handler_t::replace)
                  << '\n';
    } else {
        for (const std::string& problem : problems) {
            std::cout << problem << '\n';
        }
        std::cout << pictures << " pictures, "
                  << (problems.empty() ? std::string("nothing wrong")
                                       : std::to_string(problems.size()) + " problems")
                  << '\n';
    }
    return problems.empty() ? kExitDone : kExitFailed;
}

}  // namespace

Command doctorCommand() {
    return {"doctor",
            "check that a library is whole",
            kManual,
            withEngineOptions({{"--vectors"}, {"--json", OptionSpec::Value::None}}),
            run};
}

}  // namespace bifocal::cli
