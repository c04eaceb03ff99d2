// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/base/image_buffer.h"
#include "tests/golden/golden_files.h"

#include <cmath>
#include <nlohmann/json.hpp>
#include <span>
#include <string>
#include <vector>

/// What the tests of the towers share.
namespace bifocal::test {

inline nlohmann::json goldenJson(const std::string& name) {
    return nlohmann::json::parse(golden::readFile(std::string(BIFOCAL_GOLDEN_DIR) + "/" + name));
}

inline std::vector<float> goldenFloats(const std::string& name) {
    return golden::readFloats(std::string(BIFOCAL_GOLDEN_DIR) + "/" + name);
}

/// The pictures of image.json.
inline std::vector<ImageBuffer> goldenPictures() {
    const nlohmann::json golden = goldenJson("image.json");
    std::vector<ImageBuffer> pictures;
    for (const auto& json : golden["pictures"]) {
        const golden::PictureSpec spec{
            json["kind"], json["width"], json["height"], json["seed"], json["alpha"]};
        pictures.push_back({spec.width, spec.height, golden::picture(spec)});
    }
    return pictures;
}

inline double cosine(std::span<const float> a, std::span<const float> b) {
    double ab = 0;
    double aa = 0;
    double bb = 0;
    for (std::size_t i = 0; i < a.size(); ++i) {
        const auto x = static_cast<double>(a[i]);
        const auto y = static_cast<double>(b[i]);
        ab += x * y;
        aa += x * x;
        bb += y * y;
    }
    return ab / std::sqrt(aa * bb);
}

}  // namespace bifocal::test
