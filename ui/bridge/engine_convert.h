// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/engine/engine.h"
#include "ui/models/items.h"

/// The engine's values as the plain rows of ui/models. Threads: value.
namespace bifocal::ui {

Prompt toPrompt(const PromptDraft& draft);
ImageSource toImageSource(const PictureSource& picture);

ResultItem toItem(const ResultRow& row);
/// The same without rank: a picture of a collection.
ResultItem toBrowsedItem(const ResultRow& row);
QList<ResultItem> toItems(const std::vector<ResultRow>& rows);
AnswerSummary toSummary(const ResultSet& results);

CollectionItem toItem(const CollectionRecord& record, const IndexProgress* progress);
FailureItem toItem(const FailureRecord& record);
DeviceItem toDeviceItem(const EngineStatus& status);

QList<SampleItem> toItems(const std::vector<profile::Sample>& samples);
RequestItem toItem(const profile::RequestTrace& trace, TimePoint now);

}  // namespace bifocal::ui
