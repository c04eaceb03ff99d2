// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/base/clock.h"
#include "core/base/result.h"

#include <cstdint>
#include <random>
#include <string>
#include <vector>

namespace bifocal::schedule {

/// A figure of a device and where it comes from. Threads: value.
struct ProfileFigure {
    std::string name;
    double value = 0;
    std::string unit;
    std::string origin;  ///< the source that published it, or how it was derived
    bool isAssumed = true;
};

/// A simulated device: a run of b pictures takes α + β·b, and so do b texts. Threads: value.
struct DeviceProfile {
    std::string name;
    double alphaMs = 0;
    double betaMs = 0;
    /// Of the text tower. A profile that does not say has half of α and a twelfth of β: in the
    /// CLIP family's ViT-L/14 it has half as many layers to launch, and a twelfth of the
    /// arithmetic.
    double textAlphaMs = 0;
    double textBetaMs = 0;
    double bytesPerSecond = 0;  ///< on the way to its memory; 0: no way to go
    double watts = 0;           ///< 0: unknown
    std::uint32_t multiprocessors = 0;
    double segmentOverhead = 0.03;  ///< of a run that is cut into segments
    std::vector<ProfileFigure> figures;

    Duration service(std::uint32_t items) const;      ///< of pictures
    Duration textService(std::uint32_t items) const;  ///< of texts
};

/// Reads one profile. Corruption for what is not JSON, InvalidArgument naming the field for a
/// figure that is missing, not finite or not positive.
Result<DeviceProfile> parseDeviceProfile(const std::string& json);

/// The profiles that are built in: R-T4, T4, Ascend310, AlveoU50, V100, H100, MI250X, CPU.
std::vector<DeviceProfile> builtInProfiles();
/// One of them. NotFound, naming those that there are.
Result<DeviceProfile> profileNamed(const std::string& name);

/// How real devices differ from their model. Threads: value.
struct Disturbance {
    double sigma = 0;         ///< of the logarithm of the service time
    double outlierShare = 0;  ///< of the runs that take outlierFactor as long
    double outlierFactor = 5;
    double predictionScale = 1;  ///< what the scheduler believes, as a multiple of what it measured

    /// σ 0.2, 1 % of 5×: what the bars are tried with, beside none.
    static Disturbance rough(double predictionScale) { return {0.2, 0.01, 5, predictionScale}; }
    double draw(std::mt19937_64& random) const;
};

}  // namespace bifocal::schedule
