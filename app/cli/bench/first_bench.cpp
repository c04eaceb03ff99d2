// SPDX-License-Identifier: Apache-2.0
#include "app/cli/bench/first_bench.h"

#include "app/cli/bench/machine.h"
#include "app/cli/bench/search_bench.h"
#include "app/cli/bench/temporary_folder.h"

#include <string>

namespace bifocal::cli {
namespace {

/// How much of everything. Threads: value.
struct Workload {
    std::size_t pictureCount;
    std::size_t foundingCount;
    std::size_t idleCount;      ///< prompts per round
    std::size_t roundCount;     ///< at most
    std::size_t indexingCount;  ///< rounds end when there are so many prompts while indexing
    std::size_t searchRepetitions;
};

constexpr Workload kShort{200, 20, 100, 3, 150, 7};
constexpr Workload kFull{SIZE_MAX, 200, 500, 5, SIZE_MAX, 25};

Result<void> measureAsking(const BenchSetup& setup,
                           const Workload& work,
                           const std::filesystem::path& folder,
                           const std::filesystem::path& pictures,
                           BenchReport& report) {
    QueryTimes times;
    for (std::size_t round = 0;
         round < work.roundCount && times.indexing.size() < work.indexingCount;
         ++round) {
        BIFOCAL_TRY(const std::unique_ptr<Engine> engine,
                    setup.openEngine(folder / ("asking" + std::to_string(round))));
        BIFOCAL_CHECK(askWhileIndexing(*engine, pictures, work.idleCount, times));
    }
    addQueryRows(times, report);
    return {};
}

}  // namespace

Result<BenchReport> runFirstBench(const BenchSetup& setup) {
    const Workload& work = setup.length == BenchLength::Full ? kFull : kShort;
    BenchReport report = reportOf("first");
    BIFOCAL_TRY(const TemporaryFolder temporary, TemporaryFolder::make());
    const std::filesystem::path pictures = temporary.path() / "pictures";
    BIFOCAL_CHECK(copyPictures(setup.collection, work.pictureCount, pictures));

    setup.announce("index rate");
    {
        BIFOCAL_TRY(const std::unique_ptr<Engine> engine,
                    setup.openEngine(temporary.path() / "indexed"));
        BIFOCAL_CHECK(measureIndexRate(*engine, pictures, report));
    }
    setup.announce("founding case");
    {
        BIFOCAL_TRY(const std::unique_ptr<Engine> engine,
                    setup.openEngine(setup.library.value_or(temporary.path() / "indexed")));
        BIFOCAL_CHECK(measureFoundingCase(*engine, work.foundingCount, report));
    }
    setup.announce("prompts, idle and while indexing");
    BIFOCAL_CHECK(measureAsking(setup, work, temporary.path(), pictures, report));
    setup.announce("exact search");
    measureSearch(work.searchRepetitions, report);
    report.leftOut.push_back(
        {"event_loop_stalls", "measured in the window, not here: ./run --tour prints them"});
    return report;
}

}  // namespace bifocal::cli
