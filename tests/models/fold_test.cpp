// SPDX-License-Identifier: Apache-2.0
#include "models/convert/fold.h"

#include "core/inference/label_mixture.h"

#include <gtest/gtest.h>

#include <cmath>
#include <map>
#include <numeric>
#include <string>
#include <vector>

namespace bifocal::models {
namespace {

FloatTensor filled(const std::vector<std::size_t>& shape, float value) {
    const std::size_t count =
        std::accumulate(shape.begin(), shape.end(), std::size_t{1}, std::multiplies<>());
    return {shape, std::vector<float>(count, value)};
}

/// The trained names with constant values.
std::map<std::string, FloatTensor> stateDict() {
    std::map<std::string, FloatTensor> dict;
    const auto add = [&](const std::string& convolution,
                         const std::string& norm,
                         const std::vector<std::size_t>& shape) {
        dict[convolution + ".weight"] = filled(shape, 2);
        dict[norm + ".weight"] = filled({shape[0]}, 3);
        dict[norm + ".bias"] = filled({shape[0]}, 0.5F);
        dict[norm + ".running_mean"] = filled({shape[0]}, 0.25F);
        dict[norm + ".running_var"] = filled({shape[0]}, 4);
    };
    add("_conv_stem", "_bn0", {32, 3, 3, 3});
    const std::vector<MbConv> blocks = efficientNetLite0();
    for (std::size_t i = 0; i < blocks.size(); ++i) {
        const MbConv& b = blocks[i];
        const std::string prefix = "_blocks." + std::to_string(i) + ".";
        if (b.expands()) {
            add(prefix + "_expand_conv", prefix + "_bn0", {b.expanded, b.in, 1, 1});
        }
        add(prefix + "_depthwise_conv", prefix + "_bn1", {b.expanded, 1, b.kernel, b.kernel});
        add(prefix + "_project_conv", prefix + "_bn2", {b.out, b.expanded, 1, 1});
    }
    add("_conv_head", "_bn1", {1280, 320, 1, 1});
    dict["_fc.weight"] = filled({1000, 1280}, 7);
    dict["_fc.bias"] = filled({1000}, 8);
    return dict;
}

TEST(Fold, FoldsTheBatchNorms) {
    const auto folded = foldEfficientNet(stateDict());
    ASSERT_TRUE(folded) << folded.error().message;
    ASSERT_EQ(folded->size(), imageTowerTensors().size());
    for (const TensorSpec& spec : imageTowerTensors()) {
        ASSERT_TRUE(folded->contains(spec.name)) << spec.name;
        EXPECT_EQ(folded->at(spec.name).shape, spec.shape) << spec.name;
    }
    const double factor = 3 / std::sqrt(4 + 1e-3);
    EXPECT_FLOAT_EQ(folded->at("blocks.4.expand.weight").values[9], static_cast<float>(2 * factor));
    EXPECT_FLOAT_EQ(folded->at("head.bias").values[1279], static_cast<float>(0.5 - 0.25 * factor));
    EXPECT_EQ(folded->at("classifier.bias").values[3], 8.0F);
}

TEST(Fold, NamesWhatIsWrong) {
    auto missing = stateDict();
    missing.erase("_blocks.3._bn1.running_var");
    EXPECT_NE(
        foldEfficientNet(missing).error().message.find("'_blocks.3._bn1.running_var' is missing"),
        std::string::npos);
    auto extra = stateDict();
    extra["_blocks.16._bn0.bias"] = filled({1}, 0);
    EXPECT_NE(foldEfficientNet(extra).error().message.find("'_blocks.16._bn0.bias' is unexpected"),
              std::string::npos);
    auto misshapen = stateDict();
    misshapen["_conv_stem.weight"] = filled({32, 3, 5, 5}, 0);
    EXPECT_NE(foldEfficientNet(misshapen).error().message.find("'_conv_stem.weight' is [32, 3, 5"),
              std::string::npos);
}

}  // namespace
}  // namespace bifocal::models
