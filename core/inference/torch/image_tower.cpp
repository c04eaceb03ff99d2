// SPDX-License-Identifier: Apache-2.0
#include "core/inference/torch/image_tower.h"

#include "core/inference/label_mixture.h"

#include <ATen/ops/addmm.h>
#include <ATen/ops/empty.h>
#include <ATen/ops/zeros.h>

#include <string>

namespace bifocal::torch_backend {
namespace {

/// TensorFlow's "same" padding at stride 2 is one zero more on the right and below than on the left
/// and above, which oneDNN's operator in LibTorch cannot be told. A kernel with a row and a column
/// of zeros put before it makes the padding symmetric, without a padded copy of the input.
at::Tensor withLeadingZeros(const at::Tensor& kernel) {
    const std::int64_t side = kernel.size(2);
    at::Tensor wide = at::zeros({kernel.size(0), kernel.size(1), side + 1, side + 1}, at::kFloat);
    wide.narrow(2, 1, side).narrow(3, 1, side).copy_(kernel);
    return wide;
}

Convolution makeDepthwise(const at::Tensor& weight,
                          const at::Tensor& bias,
                          std::int64_t stride,
                          std::int64_t side,
                          at::ScalarType type) {
    const std::int64_t kernel = weight.size(2);
    const ConvolutionSpec spec{stride, (kernel - 1) / 2, weight.size(0), side, type};
    return {stride == 2 ? withLeadingZeros(weight) : weight, bias, spec};
}

}  // namespace

ImageTower::ImageTower(const Safetensors& weights, at::ScalarType type) : type_(type) {
    const auto weight = [&](const std::string& name) {
        return tensorOf(weights, name + ".weight");
    };
    const auto bias = [&](const std::string& name) { return tensorOf(weights, name + ".bias"); };
    const auto pointwise = [&](const std::string& name, std::int64_t side) {
        return Convolution(weight(name), bias(name), {1, 0, 1, side, type});
    };
    ends_.emplace_back(
        weight("stem"), bias("stem"), ConvolutionSpec{2, 0, 1, kImageSide + 1, type});
    std::int64_t side = kImageSide / 2;
    std::size_t index = 0;
    for (const MbConv& spec : efficientNetLite0()) {
        const std::string prefix = "blocks." + std::to_string(index++) + ".";
        const std::string depthwise = prefix + "depthwise";
        const auto stride = static_cast<std::int64_t>(spec.stride);
        blocks_.push_back(
            {spec.expands() ? std::optional(pointwise(prefix + "expand", side)) : std::nullopt,
             makeDepthwise(weight(depthwise), bias(depthwise), stride, side, type),
             pointwise(prefix + "project", side / stride),
             spec.hasResidual()});
        side /= stride;
    }
    ends_.push_back(pointwise("head", side));
    classifierWeight_ = weight("classifier").t().contiguous();
    classifierBias_ = bias("classifier");
}

at::Tensor ImageTower::makeInput(std::size_t count) const {
    constexpr std::int64_t kPaddedSide = kImageSide + 1;
    at::Tensor input =
        at::empty({static_cast<std::int64_t>(count), 3, kPaddedSide, kPaddedSide},
                  at::TensorOptions(type_).memory_format(at::MemoryFormat::ChannelsLast));
    return input.zero_();
}

at::Tensor ImageTower::Block::run(const at::Tensor& input) const {
    at::Tensor x = expand ? expand->run(input, Activation::Relu6) : input;
    x = depthwise.run(x, Activation::Relu6);
    return hasResidual ? project.runAndAdd(x, input) : project.run(x, Activation::None);
}

at::Tensor ImageTower::features(const at::Tensor& input) const {
    at::Tensor x = ends_.front().run(input, Activation::Relu6);
    for (const Block& block : blocks_) {
        x = block.run(x);
    }
    return ends_.back().run(x, Activation::Relu6).to(at::kFloat).mean({2, 3});
}

at::Tensor ImageTower::logits(const at::Tensor& features) const {
    return at::addmm(classifierBias_, features, classifierWeight_);
}

}  // namespace bifocal::torch_backend
