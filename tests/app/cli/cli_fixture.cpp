// SPDX-License-Identifier: Apache-2.0
#include "tests/app/cli/cli_fixture.h"

#include "core/base/files.h"
#include "core/imaging/decode.h"

#include <algorithm>
#include <array>
#include <cstdlib>
#include <fstream>
#include <nlohmann/json.hpp>
#include <stdexcept>

namespace bifocal::test {
namespace {

struct NamedColour {
    const char* name;
    std::array<std::uint8_t, 3> rgb;
};
constexpr std::array<NamedColour, 6> kColours{{{"red", {220, 20, 20}},
                                               {"green", {20, 160, 40}},
                                               {"blue", {20, 40, 220}},
                                               {"yellow", {250, 230, 20}},
                                               {"black", {10, 10, 10}},
                                               {"purple", {130, 20, 160}}}};
constexpr std::array<const char*, 4> kShapes{"circle", "square", "cross", "ring"};
constexpr int kSide = 96;

bool isInside(std::size_t shape, int dx, int dy, int radius) {
    const int squares = dx * dx + dy * dy;
    switch (shape) {
        case 0: return squares < radius * radius;
        case 1: return std::max(std::abs(dx), std::abs(dy)) < radius;
        case 2:
            return std::min(std::abs(dx), std::abs(dy)) < radius / 4 &&
                   std::max(std::abs(dx), std::abs(dy)) < radius;
        default: return squares < radius * radius && squares > radius * radius / 3;
    }
}

}  // namespace

ScratchFolder::ScratchFolder() {
    std::string name = (std::filesystem::temp_directory_path() / "bifocal-cli-XXXXXX").string();
    if (::mkdtemp(name.data()) == nullptr) {
        throw std::runtime_error("no scratch folder");
    }
    path_ = name;
}

ScratchFolder::~ScratchFolder() {
    std::error_code ignored;
    std::filesystem::remove_all(path_, ignored);
}

Shape makeShape(std::size_t number) {
    const NamedColour& colour = kColours[number % kColours.size()];
    const std::size_t shape = number / kColours.size() % kShapes.size();
    const auto generation = static_cast<int>(number / (kColours.size() * kShapes.size()));
    const int radius = 20 + generation % 7 * 3;
    const int centreX = kSide / 2 + generation % 5 * 4 - 8;
    const int centreY = kSide / 2 + generation % 3 * 6 - 6;
    Shape made{std::string(colour.name) + "_" + kShapes[shape],
               std::string("A ") + colour.name + " " + kShapes[shape] + ".",
               {kSide, kSide, {}}};
    for (int y = 0; y < kSide; ++y) {
        for (int x = 0; x < kSide; ++x) {
            const bool isShape = isInside(shape, x - centreX, y - centreY, radius);
            for (const std::uint8_t value : colour.rgb) {
                made.picture.rgba.push_back(isShape ? value : 255);
            }
            made.picture.rgba.push_back(255);
        }
    }
    return made;
}

void writeShapes(const std::filesystem::path& folder, std::size_t first, std::size_t count) {
    std::filesystem::create_directories(folder);
    for (std::size_t number = first; number < first + count; ++number) {
        const Shape shape = makeShape(number);
        std::string name = std::to_string(1000 + number).substr(1) + "_" + shape.name;
        const auto png = imaging::encodePng(shape.picture.view());
        if (!png || !writeFileAtomically(folder / (name + ".png"), *png)) {
            throw std::runtime_error("a picture cannot be written");
        }
        writeText(folder / (name + ".txt"), shape.description + "\nde.utf8=Eine Form.\n");
    }
}

void writeText(const std::filesystem::path& file, const std::string& text) {
    std::ofstream(file, std::ios::binary) << text;
}

std::vector<std::string> CliTest::command(std::vector<std::string> words) {
    words.insert(words.begin(), BIFOCAL_CLI);
    return words;
}

Process::Environment CliTest::environment() const {
    // With the variable that the program would set and start over for, it starts in half the time.
    Process::Environment environment{{"OMP_WAIT_POLICY", "passive"},
                                     {"HOME", home_.path().string()},
                                     {"XDG_DATA_HOME", (home_ / "data").string()},
                                     {"XDG_CACHE_HOME", (home_ / "cache").string()},
                                     {"XDG_CONFIG_HOME", (home_ / "config").string()}};
    if (std::getenv("BIFOCAL_PACKS") == nullptr) {  // NOLINT(concurrency-mt-unsafe)
        environment.emplace_back("BIFOCAL_PACKS", (dataHome() / "packs").string());
    }
    return environment;
}

Exit CliTest::cli(std::vector<std::string> words) const {
    return run(command(std::move(words)), environment());
}

nlohmann::json CliTest::json(std::vector<std::string> words, int code) const {
    words.emplace_back("--json");
    const std::string name = words.front();
    const Exit exit = cli(std::move(words));
    EXPECT_EQ(exit.code, code) << name << ": " << exit.out << exit.err;
    nlohmann::json document = nlohmann::json::parse(exit.out, nullptr, false);
    EXPECT_FALSE(document.is_discarded()) << name << ": " << exit.out << exit.err;
    return document;
}

void CliPackTest::SetUp() {
    const char* promised = std::getenv("BIFOCAL_PACKS");  // NOLINT(concurrency-mt-unsafe)
    const std::filesystem::path packs =
        promised != nullptr ? std::filesystem::path(promised) : dataHome() / "packs";
    ASSERT_TRUE(std::filesystem::exists(packs / "starter" / "pack.json"))
        << packs << " holds no starter pack: ./test prepares one and names it in BIFOCAL_PACKS";
}

nlohmann::json CliPackTest::index(const std::filesystem::path& folder,
                                  std::vector<std::string> options) const {
    options.insert(options.begin(), {"index", folder.string(), "--library", library()});
    return json(std::move(options));
}

}  // namespace bifocal::test
