// SPDX-License-Identifier: Apache-2.0
#include "core/inference/torch/mkldnn_ops.h"

#include <ATen/core/List.h>
#include <ATen/core/dispatch/Dispatcher.h>
#include <ATen/ops/empty.h>
#include <c10/core/Scalar.h>

#include <cstring>
#include <optional>
#include <string_view>

namespace bifocal::torch_backend {
namespace {

using Scalars = c10::List<std::optional<at::Scalar>>;
using MaybeTensor = std::optional<at::Tensor>;
using MaybeSizes = c10::OptionalArrayRef<std::int64_t>;
using MaybeText = std::optional<std::string_view>;

template <typename Signature>
c10::TypedOperatorHandle<Signature> find(const char* name, const char* overload) {
    return c10::Dispatcher::singleton().findSchemaOrThrow(name, overload).typed<Signature>();
}

using ReorderConvolution = at::Tensor(
    const at::Tensor&, at::IntArrayRef, at::IntArrayRef, at::IntArrayRef, std::int64_t, MaybeSizes);
using Convolve = at::Tensor(const at::Tensor&,
                            const at::Tensor&,
                            const MaybeTensor&,
                            at::IntArrayRef,
                            at::IntArrayRef,
                            at::IntArrayRef,
                            std::int64_t,
                            std::string_view,
                            Scalars,
                            MaybeText);
using ConvolveBinary = at::Tensor(const at::Tensor&,
                                  const at::Tensor&,
                                  const at::Tensor&,
                                  const MaybeTensor&,
                                  at::IntArrayRef,
                                  at::IntArrayRef,
                                  at::IntArrayRef,
                                  std::int64_t,
                                  std::string_view,
                                  std::optional<at::Scalar>,
                                  MaybeText,
                                  Scalars,
                                  MaybeText);
using ReorderLinear = at::Tensor(const at::Tensor&, std::optional<std::int64_t>);
using LinearUnary = at::Tensor(
    const at::Tensor&, const at::Tensor&, const MaybeTensor&, std::string_view, Scalars, MaybeText);
using LinearBinary = at::Tensor(
    const at::Tensor&, const at::Tensor&, const at::Tensor&, const MaybeTensor&, std::string_view);

const Scalars& noScalars() {
    static const Scalars scalars;
    return scalars;
}

const Scalars& zeroToSix() {
    static const Scalars scalars({at::Scalar(0.0), at::Scalar(6.0)});
    return scalars;
}

}  // namespace

at::Tensor toTensor(const TensorView& view) {
    const std::vector<std::int64_t> shape(view.shape.begin(), view.shape.end());
    at::Tensor tensor = at::empty(shape, at::kFloat);
    std::memcpy(tensor.mutable_data_ptr(), view.bytes.data(), view.bytes.size());
    return tensor;
}

at::Tensor tensorOf(const Safetensors& file, const std::string& name) {
    const auto found = file.tensors().find(name);
    BIFOCAL_ASSERT(found != file.tensors().end() && found->second.type == TensorType::F32);
    return toTensor(found->second);
}

Convolution::Convolution(const at::Tensor& weight,
                         const at::Tensor& bias,
                         const ConvolutionSpec& spec)
    : bias_(bias.to(spec.type)),
      padding_{spec.padding, spec.padding},
      stride_{spec.stride, spec.stride},
      dilation_{1, 1},
      groups_(spec.groups) {
    static const auto reorder = find<ReorderConvolution>("mkldnn::_reorder_convolution_weight", "");
    const std::vector<std::int64_t> inputSize{
        1, weight.size(1) * spec.groups, spec.inputSide, spec.inputSide};
    weight_ = reorder.call(weight.to(spec.type).contiguous(at::MemoryFormat::ChannelsLast),
                           padding_,
                           stride_,
                           dilation_,
                           groups_,
                           at::IntArrayRef(inputSize));
}

at::Tensor Convolution::run(const at::Tensor& input, Activation activation) const {
    static const auto convolve = find<Convolve>("mkldnn::_convolution_pointwise", "");
    const bool clamps = activation == Activation::Relu6;
    return convolve.call(input,
                         weight_,
                         bias_,
                         padding_,
                         stride_,
                         dilation_,
                         groups_,
                         clamps ? "hardtanh" : "none",
                         clamps ? zeroToSix() : noScalars(),
                         "");
}

at::Tensor Convolution::runAndAdd(const at::Tensor& input, const at::Tensor& residual) const {
    static const auto convolve = find<ConvolveBinary>("mkldnn::_convolution_pointwise", "binary");
    return convolve.call(input,
                         residual,
                         weight_,
                         bias_,
                         padding_,
                         stride_,
                         dilation_,
                         groups_,
                         "add",
                         at::Scalar(1.0),
                         std::nullopt,
                         noScalars(),
                         std::nullopt);
}

Linear::Linear(const at::Tensor& weight, const at::Tensor& bias) : bias_(bias) {
    static const auto reorder = find<ReorderLinear>("mkldnn::_reorder_linear_weight", "");
    weight_ = reorder.call(weight, std::nullopt);
}

at::Tensor Linear::run(const at::Tensor& input, LinearPost post) const {
    static const auto multiply = find<LinearUnary>("mkldnn::_linear_pointwise", "");
    return post == LinearPost::Gelu
               ? multiply.call(input, weight_, bias_, "gelu", noScalars(), "none")
               : multiply.call(input, weight_, bias_, "none", noScalars(), "");
}

at::Tensor Linear::runAndAdd(const at::Tensor& input, const at::Tensor& residual) const {
    static const auto multiply = find<LinearBinary>("mkldnn::_linear_pointwise", "binary");
    return multiply.call(input, residual, weight_, bias_, "add");
}

}  // namespace bifocal::torch_backend
