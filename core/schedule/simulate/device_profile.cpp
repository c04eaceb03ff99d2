// SPDX-License-Identifier: Apache-2.0
#include "core/schedule/simulate/device_profile.h"

#include "core/schedule/batching.h"

#include <chrono>
#include <cmath>
#include <nlohmann/json.hpp>

namespace bifocal::schedule {

namespace {

Result<double> figureOf(const nlohmann::json& document, const char* name) {
    const auto found = document.find(name);
    if (found == document.end() || !found->is_object()) {
        return Error{ErrorCode::InvalidArgument, std::string(name) + ": missing"};
    }
    const auto value = found->find("value");
    if (value == found->end() || !value->is_number() || !std::isfinite(value->get<double>()) ||
        value->get<double>() <= 0) {
        return Error{ErrorCode::InvalidArgument,
                     std::string(name) + ": \"value\" must be a number above zero"};
    }
    return value->get<double>();
}

std::string textOf(const nlohmann::json& object, const char* name) {
    const auto found = object.find(name);
    return found != object.end() && found->is_string() ? found->get<std::string>() : std::string();
}

Duration runTime(double alphaMs, double betaMs, std::uint32_t items) {
    return std::chrono::duration_cast<Duration>(
        std::chrono::duration<double, std::milli>(alphaMs + betaMs * paddedSize(items)));
}

void setFigure(DeviceProfile& profile, const std::string& name, double value) {
    if (name == "watts") {
        profile.watts = value;
    } else if (name == "multiprocessors") {
        profile.multiprocessors = static_cast<std::uint32_t>(value);
    } else if (name == "segment_overhead") {
        profile.segmentOverhead = value;
    } else if (name == "text_alpha_ms") {
        profile.textAlphaMs = value;
    } else if (name == "text_beta_ms") {
        profile.textBetaMs = value;
    } else if (name == "transfer_gb_per_s") {
        profile.bytesPerSecond = value * 1e9;
    }
}

}  // namespace

Duration DeviceProfile::service(std::uint32_t items) const {
    return runTime(alphaMs, betaMs, items);
}

Duration DeviceProfile::textService(std::uint32_t items) const {
    return runTime(textAlphaMs, textBetaMs, items);
}

Result<DeviceProfile> parseDeviceProfile(const std::string& json) {
    const nlohmann::json document = nlohmann::json::parse(json, nullptr, false);
    if (document.is_discarded() || !document.is_object()) {
        return Error{ErrorCode::Corruption, "device profile: not a JSON object"};
    }
    DeviceProfile profile;
    profile.name = textOf(document, "name");
    const auto figures = document.find("figures");
    if (profile.name.empty() || figures == document.end() || !figures->is_object()) {
        return Error{ErrorCode::InvalidArgument,
                     "device profile: \"name\" and \"figures\" are needed"};
    }
    BIFOCAL_TRY(profile.alphaMs, figureOf(*figures, "alpha_ms"));
    BIFOCAL_TRY(profile.betaMs, figureOf(*figures, "beta_ms"));
    constexpr double kTextLayers = 1.0 / 2;
    constexpr double kTextArithmetic = 1.0 / 12;
    profile.textAlphaMs = kTextLayers * profile.alphaMs;
    profile.textBetaMs = kTextArithmetic * profile.betaMs;
    for (const auto& [name, figure] : figures->items()) {
        BIFOCAL_TRY(const double value, figureOf(*figures, name.c_str()));
        const std::string origin = textOf(figure, "origin");
        if (origin.empty()) {
            return Error{ErrorCode::InvalidArgument,
                         name + ": \"origin\" must say where it is from"};
        }
        profile.figures.push_back(
            {name, value, textOf(figure, "unit"), origin, textOf(figure, "kind") != "published"});
        setFigure(profile, name, value);
    }
    return profile;
}

Result<DeviceProfile> profileNamed(const std::string& name) {
    std::string known;
    for (DeviceProfile& profile : builtInProfiles()) {
        if (profile.name == name) {
            return std::move(profile);
        }
        known += (known.empty() ? "" : ", ") + profile.name;
    }
    return Error{ErrorCode::NotFound, name + ": no such device; there are " + known};
}

double Disturbance::draw(std::mt19937_64& random) const {
    double factor = 1;
    if (sigma > 0) {
        factor *= std::lognormal_distribution<double>(0, sigma)(random);
    }
    if (outlierShare > 0 && std::bernoulli_distribution(outlierShare)(random)) {
        factor *= outlierFactor;
    }
    return factor;
}

}  // namespace bifocal::schedule
