// SPDX-License-Identifier: Apache-2.0
#include "app/cli/lab/measured_device.h"

#include "app/cli/bench/engine_bench.h"
#include "app/cli/bench/report.h"
#include "app/cli/command.h"
#include "core/base/clock.h"
#include "core/imaging/decode.h"
#include "core/inference/torch/torch_packs.h"

#include <algorithm>
#include <chrono>
#include <string>
#include <utility>
#include <vector>

namespace bifocal::cli {
namespace {

constexpr int kRepeats = 9;
constexpr int kPictureSide = 320;
constexpr const char* kOrigin = "measured on this machine just now, one thread, median of nine";

/// Median time of `run` in milliseconds; the first, which plans and allocates, is not counted.
template <typename Run>
Result<double> medianMs(Run run) {
    BIFOCAL_CHECK(run());
    const SteadyClock clock;
    std::vector<double> times;
    for (int i = 0; i < kRepeats; ++i) {
        const TimePoint begin = clock.now();
        BIFOCAL_CHECK(run());
        times.push_back(std::chrono::duration<double, std::milli>(clock.now() - begin).count());
    }
    return median(times);
}

struct Line {
    double alpha = 0;
    double beta = 0;
};

/// Least squares of y = α + β·x, with neither below zero.
Line fitLine(const std::vector<std::pair<double, double>>& points) {
    double sumX = 0;
    double sumY = 0;
    double sumXx = 0;
    double sumXy = 0;
    for (const auto& [x, y] : points) {
        sumX += x;
        sumY += y;
        sumXx += x * x;
        sumXy += x * y;
    }
    const auto count = static_cast<double>(points.size());
    const double beta = (count * sumXy - sumX * sumY) / (count * sumXx - sumX * sumX);
    const double alpha = (sumY - beta * sumX) / count;
    return alpha > 0 ? Line{alpha, beta} : Line{0, sumXy / sumXx};
}

Result<Line> measurePictures(const ModelPack& pack) {
    BIFOCAL_TRY(const std::unique_ptr<ImageEncoder> encoder, pack.makeImageEncoder({1}));
    BIFOCAL_TRY(const ImageBuffer picture,
                imaging::thumbnail(foundingPicture().view(), kPictureSide));
    std::vector<std::pair<double, double>> points;
    for (const std::size_t count : {1U, 2U, 4U, 8U}) {
        const std::vector<ImageView> views(count, picture.view());
        std::vector<float> rows(count * pack.info().layout.dim);
        BIFOCAL_TRY(const double ms, medianMs([&] { return encoder->encode(views, rows, {}); }));
        points.emplace_back(count, ms);
    }
    return fitLine(points);
}

Result<double> measureText(const ModelPack& pack) {
    BIFOCAL_TRY(const std::unique_ptr<TextEncoder> encoder, pack.makeTextEncoder({1}));
    return medianMs([&]() -> Result<void> {
        BIFOCAL_CHECK(encoder->encode("a similar style for summer commuting", {}));
        return {};
    });
}

}  // namespace

DeviceMeter measuringMeter(const Arguments& arguments) {
    return [folder = packsFolder(arguments) / arguments.value("--pack").value_or(
                                                  "starter")]() -> Result<schedule::DeviceProfile> {
        BIFOCAL_TRY(const std::shared_ptr<const ModelPack> pack, torch_backend::loadPack(folder));
        BIFOCAL_TRY(const Line pictures, measurePictures(*pack));
        BIFOCAL_TRY(const double textMs, measureText(*pack));
        schedule::DeviceProfile device;
        device.name = kMeasuredDevice;
        device.alphaMs = pictures.alpha;
        device.betaMs = pictures.beta;
        device.textBetaMs = textMs;
        device.figures = {{"alpha_ms", device.alphaMs, "ms", kOrigin, false},
                          {"beta_ms", device.betaMs, "ms", kOrigin, false},
                          {"text_beta_ms", device.textBetaMs, "ms", kOrigin, false}};
        return device;
    };
}

}  // namespace bifocal::cli
