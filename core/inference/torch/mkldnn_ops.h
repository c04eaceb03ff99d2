// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/inference/safetensors.h"

#include <ATen/core/Tensor.h>

#include <cstdint>
#include <string>
#include <vector>

namespace bifocal::torch_backend {

// Thin faces of the fused oneDNN operators that LibTorch registers but gives no C++ function for.
// They throw c10::Error like every LibTorch call; their callers are inside guarded().

/// A copy of an F32 tensor of the file, shaped as the file says.
at::Tensor toTensor(const TensorView& view);
/// The same by name; the caller has checked the file's tensors.
at::Tensor tensorOf(const Safetensors& file, const std::string& name);

enum class Activation : std::uint8_t { None = 1, Relu6 };

/// How a convolution walks; square kernels only.
struct ConvolutionSpec {
    std::int64_t stride = 1;
    std::int64_t padding = 0;  ///< zeros on each side
    std::int64_t groups = 1;
    std::int64_t inputSide = 0;  ///< the reordering is chosen for this size
    at::ScalarType type = at::kFloat;
};

/// A convolution with bias whose weights were put in oneDNN's order once; input and output are
/// channels-last. Threads: compatible.
class Convolution {
public:
    Convolution(const at::Tensor& weight, const at::Tensor& bias, const ConvolutionSpec& spec);

    at::Tensor run(const at::Tensor& input, Activation activation) const;
    /// run() without an activation, plus `residual`, in one pass.
    at::Tensor runAndAdd(const at::Tensor& input, const at::Tensor& residual) const;

private:
    at::Tensor weight_;
    at::Tensor bias_;
    std::vector<std::int64_t> padding_;
    std::vector<std::int64_t> stride_;
    std::vector<std::int64_t> dilation_;
    std::int64_t groups_;
};

enum class LinearPost : std::uint8_t { None = 1, Gelu };

/// A fully connected layer with bias, weights reordered once, FP32 or BF16 like its input.
/// Threads: compatible.
class Linear {
public:
    Linear(const at::Tensor& weight, const at::Tensor& bias);

    at::Tensor run(const at::Tensor& input, LinearPost post) const;
    at::Tensor runAndAdd(const at::Tensor& input, const at::Tensor& residual) const;

private:
    at::Tensor weight_;
    at::Tensor bias_;
};

}  // namespace bifocal::torch_backend
