// SPDX-License-Identifier: Apache-2.0
// The demo collection, indexed and evaluated as a person would: the figures that were promised.
#include "tests/app/cli/cli_fixture.h"

#include <cstdlib>
#include <nlohmann/json.hpp>

namespace bifocal::test {
namespace {

std::string fromEnvironment(const char* name, const char* otherwise) {
    const char* value = std::getenv(name);  // NOLINT(concurrency-mt-unsafe)
    return value == nullptr ? otherwise : value;
}

using CliEvalBarsTest = CliPackTest;

TEST_F(CliEvalBarsTest, ReachesThePromisedRecall) {
    const std::filesystem::path collection =
        fromEnvironment("BIFOCAL_STAMPS", "/usr/share/tuxpaint/stamps");
    const std::filesystem::path lists = fromEnvironment("BIFOCAL_EVAL_LISTS", "");
    ASSERT_TRUE(std::filesystem::is_directory(collection)) << "no demo collection here";

    const nlohmann::json summary = index(collection);
    const nlohmann::json figures =
        json({"eval", "--library", library(), "--list", (lists / "stamps.txt").string()});

    RecordProperty("figures", figures.dump());
    std::cout << figures.dump() << '\n';
    EXPECT_EQ(summary["indexed"], 796);
    EXPECT_EQ(summary["failed"].size(), 0U) << summary["failed"];
    EXPECT_EQ(figures["text_to_image"]["n"], 473);
    EXPECT_GE(figures["text_to_image"]["r1"].get<double>(), 0.25);
    EXPECT_GE(figures["text_to_image"]["r10"].get<double>(), 0.50);
    EXPECT_GT(figures["text_to_image"]["fused"]["r1"].get<double>(),
              figures["text_to_image"]["r1"].get<double>());
    EXPECT_GT(figures["text_to_image"]["fused"]["r10"].get<double>(),
              figures["text_to_image"]["names_alone"]["r10"].get<double>());
    EXPECT_EQ(figures["colour"]["n"], 51);
    EXPECT_GE(figures["colour"]["r10"].get<double>(), 0.60);
    EXPECT_EQ(figures["image_to_image"]["n"], 200);
    EXPECT_GE(figures["image_to_image"]["r1"].get<double>(), 0.85);
    EXPECT_GT(figures["image_to_image"]["r1"].get<double>(),
              figures["image_to_image"]["perceptual_hash"]["r1"].get<double>());
}

}  // namespace
}  // namespace bifocal::test
