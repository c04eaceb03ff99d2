// SPDX-License-Identifier: Apache-2.0
#include "core/inference/torch/image_tower.h"

#include "core/inference/label_mixture.h"

#include <ATen/ops/addmm.h>
#include <ATen/ops/empty.h>
#include <ATen/ops/zeros.h>
#include <c10/util/BFloat16.h>

#include <algorithm>
#include <cmath>
#include <numeric>
#include <span>
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

constexpr std::size_t kFirstBf16Block = 3;

Convolution makeDepthwise(const at::Tensor& weight,
                          const at::Tensor& bias,
                          std::int64_t stride,
                          std::int64_t side,
                          at::ScalarType type) {
    const std::int64_t kernel = weight.size(2);
    const ConvolutionSpec spec{stride, (kernel - 1) / 2, weight.size(0), side, type};
    const at::Tensor rounded = type == at::kBFloat16 ? roundKeepingSums(weight) : weight;
    return {stride == 2 ? withLeadingZeros(rounded) : rounded, bias, spec};
}

}  // namespace

at::Tensor roundKeepingSums(const at::Tensor& kernels) {
    at::Tensor out = kernels.contiguous().clone();
    const auto taps = static_cast<std::size_t>(out.size(2) * out.size(3));
    const std::span<float> all(out.mutable_data_ptr<float>(),
                               static_cast<std::size_t>(out.numel()));
    std::vector<std::size_t> order(taps);
    for (std::size_t begin = 0; begin < all.size(); begin += taps) {
        const std::span<float> kernel = all.subspan(begin, taps);
        std::iota(order.begin(), order.end(), std::size_t{0});
        std::stable_sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) {
            return std::abs(kernel[a]) > std::abs(kernel[b]);
        });
        float carried = 0;
        for (const std::size_t tap : order) {
            const float wanted = kernel[tap] + carried;
            kernel[tap] = static_cast<float>(c10::BFloat16(wanted));
            carried = wanted - kernel[tap];
        }
    }
    return out;
}

ImageTower::ImageTower(const Safetensors& weights, TowerPrecision precision) {
    const at::ScalarType late = precision == TowerPrecision::Bf16 ? at::kBFloat16 : at::kFloat;
    const auto weight = [&](const std::string& name) {
        return tensorOf(weights, name + ".weight");
    };
    const auto bias = [&](const std::string& name) { return tensorOf(weights, name + ".bias"); };
    const auto pointwise = [&](const std::string& name, std::int64_t side, at::ScalarType type) {
        return Convolution(weight(name), bias(name), {1, 0, 1, side, type});
    };
    ends_.emplace_back(weight("stem"), bias("stem"), ConvolutionSpec{2, 0, 1, kImageSide + 1});
    std::int64_t side = kImageSide / 2;
    for (const MbConv& spec : efficientNetLite0()) {
        const at::ScalarType type = blocks_.size() < kFirstBf16Block ? at::kFloat : late;
        const std::string prefix = "blocks." + std::to_string(blocks_.size()) + ".";
        const std::string depthwise = prefix + "depthwise";
        const auto stride = static_cast<std::int64_t>(spec.stride);
        blocks_.push_back({spec.expands() ? std::optional(pointwise(prefix + "expand", side, type))
                                          : std::nullopt,
                           makeDepthwise(weight(depthwise), bias(depthwise), stride, side, type),
                           pointwise(prefix + "project", side / stride, type),
                           spec.hasResidual(),
                           type});
        side /= stride;
    }
    ends_.push_back(pointwise("head", side, late));
    classifierWeight_ = weight("classifier").t().contiguous();
    classifierBias_ = bias("classifier");
}

at::Tensor ImageTower::makeInput(std::size_t count) {
    constexpr std::int64_t kPaddedSide = kImageSide + 1;
    at::Tensor input =
        at::empty({static_cast<std::int64_t>(count), 3, kPaddedSide, kPaddedSide},
                  at::TensorOptions(at::kFloat).memory_format(at::MemoryFormat::ChannelsLast));
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
        x = block.run(x.to(block.type));
    }
    return ends_.back().run(x, Activation::Relu6).to(at::kFloat).mean({2, 3});
}

at::Tensor ImageTower::logits(const at::Tensor& features) const {
    return at::addmm(classifierBias_, features, classifierWeight_);
}

}  // namespace bifocal::torch_backend
