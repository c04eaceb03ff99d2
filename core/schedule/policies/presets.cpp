// SPDX-License-Identifier: Apache-2.0
#include "core/schedule/policy.h"

namespace bifocal::schedule {

namespace {

PolicyPreset baseline(const char* name, const char* title, const char* note) {
    PolicyPreset preset{name, title, note, {}};
    preset.config.name = name;
    return preset;
}

// The source has no prefetch class; it decays like batch work, whose urgency it has, too.
PolicyPreset seedDecay(
    const char* id, const char* title, const char* note, double interactive, double others) {
    PolicyPreset preset{id, title, note, {}};
    preset.config.name = "seed_decay";
    preset.config.seedDecay.decay = {interactive, others, others};
    return preset;
}

void addSeedDecays(std::vector<PolicyPreset>& presets) {
    presets.push_back(seedDecay(
        "seed",
        "Weight and decay, 0.9 for all",
        "The source's formula. A fresh batch picture (21) goes before a fresh text prompt (20). With "
        "one constant, age never changes the order of two tasks: newest first within a class, and "
        "the oldest can wait for ever.",
        0.9,
        0.9));
    presets.push_back(seedDecay(
        "seed_95_80",
        "Weight and decay, 0.95 and 0.8",
        "The slow end of the source's advice. A waiting text prompt is passed by batch pictures that "
        "came in the last 0.22 s + 23 % of its wait. Batch work loses priority faster than prompts, "
        "so its end is not guaranteed, as the source has it: the oldest can wait for ever.",
        0.95,
        0.8));
    presets.push_back(seedDecay(
        "seed_90_75",
        "Weight and decay, 0.9 and 0.75",
        "The middle of the source's advice. A waiting text prompt is passed by batch pictures that "
        "came in the last 0.17 s + 37 % of its wait; the oldest batch work can wait for ever.",
        0.9,
        0.75));
    presets.push_back(seedDecay(
        "seed_85_70",
        "Weight and decay, 0.85 and 0.7",
        "The fast end of the source's advice. A waiting text prompt is passed by batch pictures that "
        "came in the last 0.14 s + 46 % of its wait; the oldest batch work can wait for ever.",
        0.85,
        0.7));
    presets.push_back(seedDecay(
        "seed_guarded",
        "Weight and decay, inside a class",
        "The source's formula inside a class, with the most urgent class first and a guaranteed "
        "share around it. Batch work no longer passes prompts, and as a class it goes on; one old "
        "task of a class can still wait for ever.",
        0.9,
        0.9));
    presets.back().config.seedDecay.isGuarded = true;
}

}  // namespace

std::vector<PolicyPreset> policyPresets() {
    std::vector<PolicyPreset> presets;
    presets.push_back(baseline(
        "deadline",
        "Class first, earliest deadline inside",
        "The default. Prompts go before batch work, batch work keeps its guaranteed share, and "
        "inside a class nobody falls behind later arrivals for longer than the slack of the class."));
    addSeedDecays(presets);
    presets.push_back(baseline(
        "adaptive_lifo",
        "Earliest deadline, newest first under overload",
        "As the default until a class waits too long; from then on new tasks go in front, newest "
        "first. Most stay quick then, those that came before wait until the load is over."));
    presets.push_back(baseline("sjf",
                               "Class first, shortest job inside",
                               "The shortest mean wait inside a class, paid by its longest tasks: "
                               "they wait as long as shorter ones keep coming."));
    presets.push_back(baseline("strict_priority",
                               "Class first, no guaranteed share",
                               "The best that prompts can get; batch work stands still while there "
                               "are prompts enough to fill the device."));
    presets.push_back(baseline("fifo",
                               "Order of arrival",
                               "For comparison. A prompt waits for all batch work before it."));
    presets.push_back(baseline(
        "round_robin",
        "Turns by class and modality",
        "For comparison. A prompt waits for one task of each other kind, however long that takes."));
    presets.push_back(baseline(
        "static_partition",
        "Fixed share of time for each class",
        "For comparison. The device idles in the windows of classes without work, and a prompt that "
        "comes after its window waits for the next."));
    return presets;
}

}  // namespace bifocal::schedule
