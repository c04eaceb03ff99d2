// SPDX-License-Identifier: Apache-2.0
#include "app/cli/command.h"
#include "app/cli/path_text.h"
#include "core/pipeline/library_check.h"

#include <cstdint>
#include <filesystem>
#include <iostream>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

namespace bifocal::cli {
namespace {

constexpr std::string_view kManual =
    R"(bifocal-cli doctor - check that a library is whole and that its vectors are its pictures'

usage: bifocal-cli doctor --library L [--vectors N|all] [--repair] [--json] [--packs P]
                          [--pack NAME]

Checks the database, every checksum of the vectors, and that each file has its vector. Then
encodes N pictures again (32; "all" for every one), each alone, and compares: the stored
vector must be the picture's own (cosine 0.999) and find it first. Without --repair it writes
nothing: a torn tail or a leftover vector is put right by the next 'index'.

  --repair      first set damaged vectors aside (their file becomes NAME.damaged): the next
                'index' of each folder makes them again from the pictures

Exit status 0 when nothing is wrong, 1 otherwise.

JSON: {"clean":true,"pictures":n,"problems":[""]}
)";

struct Diagnosis {
    std::uint64_t pictures = 0;
    std::vector<std::string> problems;
};

/// Bytes that are not what was written are what it is here to find: no error of its own.
Result<Diagnosis> diagnose(const Arguments& arguments, std::size_t sample) {
    Result<std::unique_ptr<Engine>> engine = openExisting(arguments);
    if (!engine) {
        if (engine.error().code == ErrorCode::Corruption) {
            return Diagnosis{0, {engine.error().message}};
        }
        return std::move(engine).error();
    }
    Result<std::vector<std::string>> problems = (*engine)->check(sample);
    if (!problems && problems.error().code != ErrorCode::Corruption) {
        return std::move(problems).error();
    }
    return Diagnosis{(*engine)->status().pictureCount,
                     problems ? *std::move(problems) : std::vector{problems.error().message}};
}

Result<int> run(const Arguments& arguments) {
    std::size_t sample = SIZE_MAX;
    if (arguments.value("--vectors").value_or("") != "all") {
        BIFOCAL_TRY(const long count, arguments.integer("--vectors", 32, 0, 1L << 40U));
        sample = static_cast<std::size_t>(count);
    }
    if (arguments.has("--repair")) {
        BIFOCAL_TRY(const std::string library, arguments.required("--library"));
        BIFOCAL_TRY(const std::vector<std::filesystem::path> damaged,
                    setAsideDamagedVectors(library));
        for (const std::filesystem::path& file : damaged) {
            std::cerr << "bifocal-cli: set aside: " << printable(file) << ".damaged\n";
        }
    }
    BIFOCAL_TRY(const Diagnosis diagnosis, diagnose(arguments, sample));
    const auto& [pictures, problems] = diagnosis;
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
            withEngineOptions({{"--vectors"},
                               {"--repair", OptionSpec::Value::None},
                               {"--json", OptionSpec::Value::None}}),
            run};
}

}  // namespace bifocal::cli
