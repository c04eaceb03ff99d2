// SPDX-License-Identifier: Apache-2.0
#include "core/engine/policy_lab.h"

#include <algorithm>
#include <chrono>
#include <utility>

namespace bifocal {

namespace {

double inMs(Duration time) {
    return std::chrono::duration<double, std::milli>(time).count();
}

Result<schedule::PolicyConfig> presetNamed(const std::string& id) {
    for (const schedule::PolicyPreset& preset : schedule::policyPresets()) {
        if (id == preset.id) {
            return preset.config;
        }
    }
    return Error{ErrorCode::NotFound, id + ": there is no such preset"};
}

}  // namespace

Result<std::vector<LabOutcome>> runLab(const LabSetup& setup, const std::stop_token& stop) {
    schedule::SimulationConfig config;
    BIFOCAL_TRY(config.device, schedule::profileNamed(setup.device));
    BIFOCAL_TRY(config.workload, schedule::workloadNamed(setup.workload));
    config.guaranteedShare = setup.guaranteedShare;
    config.seed = setup.seed;
    config.keepsLatencies = true;
    std::vector<LabOutcome> outcomes;
    for (const std::string& policy : setup.policies) {
        if (stop.stop_requested()) {
            return Error{ErrorCode::Cancelled, "the laboratory was closed"};
        }
        BIFOCAL_TRY(config.policy, presetNamed(policy));
        BIFOCAL_TRY(schedule::SimulationResult result, schedule::simulate(config));
        outcomes.push_back({policy, std::move(result)});
    }
    return outcomes;
}

Result<ReferenceFigures> referenceFigures() {
    schedule::SimulationConfig config;
    BIFOCAL_TRY(config.device, schedule::profileNamed("R-T4"));
    BIFOCAL_TRY(config.workload, schedule::workloadNamed("W-A"));
    ReferenceFigures figures;
    const double picture = inMs(config.device.service(1));
    figures.textMs = inMs(config.device.textService(1));
    figures.fusedMs = figures.textMs + picture;
    figures.perSecondOfEight = 8000 / inMs(config.device.service(8));
    figures.perSecondOfSixteen = 16000 / inMs(config.device.service(16));
    config.workload.source = schedule::BatchSource::None;
    config.workload.promptsPerSecond = 65;
    config.workload.length = std::chrono::seconds(120);
    BIFOCAL_TRY(const schedule::SimulationResult loaded, schedule::simulate(config));
    figures.busyShare = loaded.utilization;
    return figures;
}

}  // namespace bifocal
