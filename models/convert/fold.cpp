// SPDX-License-Identifier: Apache-2.0
#include "models/convert/fold.h"

#include "core/inference/label_mixture.h"

#include <cmath>
#include <utility>

namespace bifocal::models {
namespace {

constexpr double kEpsilon = 1e-3;

/// Takes tensors out of a state dict, so that what is left over shows.
class Source {
public:
    explicit Source(std::map<std::string, FloatTensor> tensors) : tensors_(std::move(tensors)) {}

    Result<FloatTensor> take(const std::string& name, const std::vector<std::size_t>& shape) {
        const auto found = tensors_.find(name);
        if (found == tensors_.end()) {
            return Error{ErrorCode::Corruption, "image tower: tensor '" + name + "' is missing"};
        }
        FloatTensor tensor = std::move(found->second);
        tensors_.erase(found);
        if (tensor.shape != shape) {
            return Error{ErrorCode::Corruption,
                         "image tower: tensor '" + name + "' is " + toString(tensor.shape) +
                             ", expected " + toString(shape)};
        }
        return tensor;
    }

    Result<void> checkEmpty() const {
        return tensors_.empty()
                   ? Result<void>()
                   : Error{ErrorCode::Corruption,
                           "image tower: tensor '" + tensors_.begin()->first + "' is unexpected"};
    }

private:
    std::map<std::string, FloatTensor> tensors_;
};

/// Where a convolution of ours comes from.
struct Names {
    std::string target;
    std::string convolution;
    std::string norm;
};

Result<void> foldOne(Source& source,
                     const Names& names,
                     const std::vector<std::size_t>& shape,
                     std::map<std::string, FloatTensor>& out) {
    BIFOCAL_TRY(FloatTensor weight, source.take(names.convolution + ".weight", shape));
    const std::size_t channels = shape[0];
    const std::vector<std::size_t> vector{channels};
    BIFOCAL_TRY(const FloatTensor gain, source.take(names.norm + ".weight", vector));
    BIFOCAL_TRY(const FloatTensor offset, source.take(names.norm + ".bias", vector));
    BIFOCAL_TRY(const FloatTensor mean, source.take(names.norm + ".running_mean", vector));
    BIFOCAL_TRY(const FloatTensor variance, source.take(names.norm + ".running_var", vector));
    FloatTensor bias{vector, std::vector<float>(channels)};
    const std::size_t perChannel = weight.values.size() / channels;
    for (std::size_t c = 0; c < channels; ++c) {
        const double factor = static_cast<double>(gain.values[c]) /
                              std::sqrt(static_cast<double>(variance.values[c]) + kEpsilon);
        for (std::size_t i = c * perChannel; i < (c + 1) * perChannel; ++i) {
            weight.values[i] = static_cast<float>(static_cast<double>(weight.values[i]) * factor);
        }
        bias.values[c] = static_cast<float>(static_cast<double>(offset.values[c]) -
                                            static_cast<double>(mean.values[c]) * factor);
    }
    out.emplace(names.target + ".weight", std::move(weight));
    out.emplace(names.target + ".bias", std::move(bias));
    return {};
}

/// "blocks.3.expand" → its names in the state dict.
Names namesOf(const std::string& target) {
    if (target == "stem") {
        return {target, "_conv_stem", "_bn0"};
    }
    if (target == "head") {
        return {target, "_conv_head", "_bn1"};
    }
    const std::size_t dot = target.rfind('.');
    const std::string prefix = "_" + target.substr(0, dot) + ".";
    const std::string part = target.substr(dot + 1);
    const char* norm = part == "expand" ? "_bn0" : part == "depthwise" ? "_bn1" : "_bn2";
    return {target, prefix + "_" + part + "_conv", prefix + norm};
}

}  // namespace

Result<std::map<std::string, FloatTensor>> foldEfficientNet(
    std::map<std::string, FloatTensor> stateDict) {
    static const std::string kSuffix = ".weight";
    Source source(std::move(stateDict));
    std::map<std::string, FloatTensor> out;
    for (const TensorSpec& spec : imageTowerTensors()) {
        if (!spec.name.ends_with(kSuffix)) {
            continue;  // the biases come with the weights
        }
        const std::string target = spec.name.substr(0, spec.name.size() - kSuffix.size());
        if (target == "classifier") {
            BIFOCAL_TRY(out[spec.name], source.take("_fc.weight", spec.shape));
            BIFOCAL_TRY(out["classifier.bias"], source.take("_fc.bias", {spec.shape[0]}));
        } else {
            BIFOCAL_CHECK(foldOne(source, namesOf(target), spec.shape, out));
        }
    }
    BIFOCAL_CHECK(source.checkEmpty());
    return out;
}

}  // namespace bifocal::models
