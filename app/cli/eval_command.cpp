// SPDX-License-Identifier: Apache-2.0
#include "app/cli/command.h"
#include "app/cli/eval/eval_pictures.h"
#include "app/cli/eval/honesty.h"
#include "app/cli/eval/tasks.h"
#include "core/base/clock.h"
#include "core/base/files.h"
#include "core/imaging/decode.h"
#include "core/inference/torch/torch_packs.h"
#include "core/library/library.h"
#include "core/pipeline/ranking.h"

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <iostream>
#include <nlohmann/json.hpp>
#include <string>
#include <unordered_map>
#include <utility>

namespace bifocal::cli {
namespace {

constexpr std::string_view kManual =
    R"(bifocal-cli eval - measure how well the stored vectors find listed pictures

usage: bifocal-cli eval --library L --list FILE [--looks FILE] [--lang LL] [--json]
                        [--packs P] [--pack NAME]

The prompt of a picture is the first line of the .txt beside it. Vectors alone, but where names
are said. Three tasks:

  text to image    each picture of the list is looked for with its prompt among the pictures
                   of the list; any picture with the same prompt is a hit. Beside it file and
                   folder names alone, and both fused as a search fuses them
  colour           each prompt of the library that names a colour, among all pictures of the
                   library that have a prompt
  image to image   each changed part described in the looks file, among all pictures that have
                   a prompt; beside it what the stored perceptual hashes find on the same
                   queries

And what the confidence of an answer is worth, from the text prompts: the chance that an answer
with its hits in the library is stronger than one that should not be trusted (AUC), and how many
of those were told "nothing matches": the same prompts with their hits taken out, a hundred
sentences of nothing visible, a hundred prompts of random letters.

  --library L      the library's folder
  --list FILE      one picture a line, relative to the collection's folder
  --looks FILE     picture,crop,left,top,flip,brightness (looks.csv beside the list; without
                   it image to image is left out and has n 0)
  --lang LL        take the prompt from the line LL.utf8=... of the .txt
  --json           one JSON object on standard output
  --packs P        folder of model packs (BIFOCAL_PACKS, else the user's data folder)
  --pack NAME      the pack to use (starter)

JSON: {"text_to_image":{"r1":0.0,"r5":0.0,"r10":0.0,"n":0,"unread":0,"words_alone":{},
                        "names_alone":{},"fused":{}},
       "colour":{"r10":0.0,"n":0,"unread":0,"words_alone":{}},
       "image_to_image":{"r1":0.0,"r5":0.0,"n":0,"perceptual_hash":{"r1":0.0}},
       "honesty":{"n":0,"answered":0.0,"leave_one_out":{"auc":0.0,"said_none":0.0,"n":0},
                  "absent":{},"gibberish":{}},
       "pack":"","precision":"","seconds":0.0}
r1 is the share of the queries whose hit is first; "unread" counts prompts in a script that
the pack does not read (misses); "words_alone" is the same without the colours block.
)";

/// The parts that an evaluation works with.
struct EvalSetup {
    std::shared_ptr<const ModelPack> pack;
    std::shared_ptr<const IndexSnapshot> snapshot;
    std::unique_ptr<Library> library;
    std::vector<EvalPicture> pictures;
    std::vector<EvalPicture> listed;
    std::vector<LooksQuery> looks;
};

struct EvalOutcome {
    TextOutcome text;
    TextOutcome colour;
    LooksOutcome looks;
    HonestyOutcome honesty;
    double seconds = 0;
};

Result<std::string> readText(const std::filesystem::path& path) {
    BIFOCAL_TRY(const std::vector<std::uint8_t> bytes, readFile(path));
    return std::string(bytes.begin(), bytes.end());
}

Result<std::vector<LooksQuery>> readLooks(const Arguments& arguments,
                                          const std::filesystem::path& list) {
    const auto named = arguments.value("--looks");
    const std::filesystem::path file =
        named ? std::filesystem::path(*named) : list.parent_path() / "looks.csv";
    const Result<std::string> text = readText(file);
    if (!text && text.error().code == ErrorCode::NotFound && !named) {
        return std::vector<LooksQuery>{};
    }
    if (!text) {
        return text.error();
    }
    auto queries = parseLooksQueries(*text);
    return queries ? std::move(queries) : queries.error().withContext(file.string());
}

Result<EvalSetup> prepare(const Arguments& arguments) {
    BIFOCAL_TRY(const std::string libraryFolder, arguments.required("--library"));
    BIFOCAL_TRY(const std::string list, arguments.required("--list"));
    if (!std::filesystem::is_directory(libraryFolder)) {
        return Error{ErrorCode::NotFound, libraryFolder + ": no library here"};
    }
    EvalSetup setup;
    BIFOCAL_TRY(const std::string listText, readText(list));
    BIFOCAL_TRY(setup.looks, readLooks(arguments, list));
    BIFOCAL_TRY(setup.library, Library::open(libraryFolder, LibraryAccess::Read));
    BIFOCAL_TRY(setup.pictures,
                readEvalPictures(*setup.library, arguments.value("--lang").value_or("")));
    BIFOCAL_TRY(setup.listed, picturesOfList(setup.pictures, listText));
    BIFOCAL_TRY(setup.pack,
                torch_backend::loadPack(packsFolder(arguments) /
                                        arguments.value("--pack").value_or("starter")));
    const PackInfo& info = setup.pack->info();
    BIFOCAL_TRY(const std::unique_ptr<VectorIndex> index,
                VectorIndex::open(libraryVectorFile(libraryFolder, info.id),
                                  {info.id, info.layout.dim, info.layout.strideBytes},
                                  IndexAccess::Read));
    setup.snapshot = index->snapshot();
    return setup;
}

PictureSource sourceFrom(const std::vector<EvalPicture>& pictures) {
    auto files = std::make_shared<std::unordered_map<std::string, std::filesystem::path>>();
    for (const EvalPicture& picture : pictures) {
        files->emplace(picture.path, picture.file);
    }
    return [files](const std::string& path) -> Result<ImageBuffer> {
        const auto found = files->find(path);
        if (found == files->end()) {
            return Error{ErrorCode::NotFound, "'" + path + "': no picture of this library"};
        }
        BIFOCAL_TRY(imaging::DecodedImage decoded, imaging::decodeFile(found->second));
        return std::move(decoded.image);
    };
}

Result<EvalOutcome> evaluate(const EvalSetup& setup) {
    const SteadyClock clock;
    const TimePoint begin = clock.now();
    const ModelPack& pack = *setup.pack;
    constexpr EncoderOptions kOptions{2};
    BIFOCAL_TRY(const std::unique_ptr<TextEncoder> text, pack.makeTextEncoder(kOptions));
    BIFOCAL_TRY(const std::unique_ptr<ImageEncoder> image, pack.makeImageEncoder(kOptions));
    EvalOutcome outcome;
    {
        BIFOCAL_TRY(const CandidateSet listed, CandidateSet::make(setup.snapshot, setup.listed));
        const NameSource names = [&setup](const std::string& prompt) {
            return setup.library->filesNamed(prompt, kMostNamed);
        };
        BIFOCAL_TRY(
            outcome.text,
            evaluateText(
                pack, *text, listed, picturesWith(setup.listed, &EvalPicture::prompt), names));
        BIFOCAL_TRY(
            outcome.honesty,
            evaluateHonesty(pack, *text, listed, picturesWith(setup.listed, &EvalPicture::prompt)));
    }
    {
        const std::vector<EvalPicture> prompted =
            picturesWith(setup.pictures, &EvalPicture::prompt);
        std::vector<EvalPicture> coloured;
        std::copy_if(prompted.begin(),
                     prompted.end(),
                     std::back_inserter(coloured),
                     [](const auto& picture) { return !namedColours(picture.prompt).empty(); });
        BIFOCAL_TRY(const CandidateSet all, CandidateSet::make(setup.snapshot, prompted));
        BIFOCAL_TRY(outcome.colour, evaluateText(pack, *text, all, coloured));
    }
    BIFOCAL_TRY(const CandidateSet described,
                CandidateSet::make(setup.snapshot,
                                   picturesWith(setup.pictures, &EvalPicture::description)));
    BIFOCAL_TRY(outcome.looks,
                evaluateLooks(pack, *image, described, setup.looks, sourceFrom(setup.pictures)));
    outcome.seconds = std::chrono::duration<double>(clock.now() - begin).count();
    return outcome;
}

nlohmann::json toJson(const RankTally& ranks, std::initializer_list<std::size_t> depths) {
    nlohmann::json document;
    for (const std::size_t depth : depths) {
        document["r" + std::to_string(depth)] = ranks.recallAt(depth);
    }
    return document;
}

nlohmann::json toJson(const TextOutcome& outcome, std::initializer_list<std::size_t> depths) {
    nlohmann::json document = toJson(outcome.ranks, depths);
    document["n"] = outcome.ranks.count();
    document["unread"] = outcome.unread;
    document["words_alone"] = toJson(outcome.wordsAlone, depths);
    if (outcome.fused.count() > 0) {
        document["names_alone"] = toJson(outcome.namesAlone, depths);
        document["fused"] = toJson(outcome.fused, depths);
    }
    return document;
}

nlohmann::json toJson(const Separation& separation) {
    return {{"auc", separation.auc}, {"said_none", separation.saidNone}, {"n", separation.count}};
}

nlohmann::json toJson(const HonestyOutcome& outcome) {
    return {{"n", outcome.count},
            {"answered", outcome.answered},
            {"leave_one_out", toJson(outcome.leaveOneOut)},
            {"absent", toJson(outcome.absent)},
            {"gibberish", toJson(outcome.gibberish)}};
}

void printJson(const EvalOutcome& outcome, const PackInfo& pack) {
    nlohmann::json looks = toJson(outcome.looks.ranks, {1, 5});
    looks["n"] = outcome.looks.ranks.count();
    looks["perceptual_hash"] = toJson(outcome.looks.hashRanks, {1, 5});
    const nlohmann::json document{{"text_to_image", toJson(outcome.text, {1, 5, 10})},
                                  {"colour", toJson(outcome.colour, {1, 10})},
                                  {"image_to_image", std::move(looks)},
                                  {"honesty", toJson(outcome.honesty)},
                                  {"pack", pack.id},
                                  {"precision", pack.precision},
                                  {"seconds", outcome.seconds}};
    std::cout << document.dump(-1, ' ', false, nlohmann::json::error_handler_t::replace) << '\n';
}

void printRow(const char* name, const RankTally& ranks) {
    std::printf("%-34s  %5.3f  %5.3f  %5.3f  %5zu\n",
                name,
                ranks.recallAt(1),
                ranks.recallAt(5),
                ranks.recallAt(10),
                ranks.count());
}

void printSeparation(const char* name, const Separation& separation) {
    std::printf("%-34s  %5.3f  %5.3f         %5zu\n",
                name,
                separation.auc,
                separation.saidNone,
                separation.count);
}

void printTable(const EvalOutcome& outcome, const PackInfo& pack) {
    std::printf("%-34s  %5s  %5s  %5s  %5s\n", "recall at", "1", "5", "10", "n");
    printRow("text to image", outcome.text.ranks);
    printRow("  without the colours block", outcome.text.wordsAlone);
    printRow("  file and folder names alone", outcome.text.namesAlone);
    printRow("  fused with names", outcome.text.fused);
    printRow("colour", outcome.colour.ranks);
    printRow("  without the colours block", outcome.colour.wordsAlone);
    printRow("image to image", outcome.looks.ranks);
    printRow("  perceptual hash instead", outcome.looks.hashRanks);
    std::printf("%-34s  %5s  %5s\n", "an answer against", "AUC", "none");
    printSeparation("  the same without its hits", outcome.honesty.leaveOneOut);
    printSeparation("  sentences of nothing visible", outcome.honesty.absent);
    printSeparation("  random letters", outcome.honesty.gibberish);
    std::printf("%.3f of %zu prompts were not told that nothing matches\n",
                outcome.honesty.answered,
                outcome.honesty.count);
    if (outcome.text.unread > 0) {
        std::printf("%zu prompts are in a script that the pack does not read\n",
                    outcome.text.unread);
    }
    std::printf("%s, %s, %.1f s\n", pack.id.c_str(), pack.precision.c_str(), outcome.seconds);
}

Result<int> run(const Arguments& arguments) {
    if (!arguments.words().empty()) {
        return Error{ErrorCode::InvalidArgument,
                     "'" + arguments.words().front() + "': eval takes options only"};
    }
    BIFOCAL_TRY(const EvalSetup setup, prepare(arguments));
    BIFOCAL_TRY(const EvalOutcome outcome, evaluate(setup));
    if (arguments.has("--json")) {
        printJson(outcome, setup.pack->info());
    } else {
        printTable(outcome, setup.pack->info());
    }
    return kExitDone;
}

}  // namespace

Command evalCommand() {
    return {"eval",
            "measure how well listed pictures are found",
            kManual,
            withEngineOptions(
                {{"--list"}, {"--looks"}, {"--lang"}, {"--json", OptionSpec::Value::None}}),
            run};
}

}  // namespace bifocal::cli
