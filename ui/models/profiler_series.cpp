// SPDX-License-Identifier: Apache-2.0
#include "ui/models/profiler_series.h"

#include <algorithm>

namespace bifocal::ui {

ProfilerSeries::ProfilerSeries(QObject* parent) : QObject(parent) {}

void ProfilerSeries::setSamples(const QList<SampleItem>& samples) {
    samples_.clear();
    std::copy_if(
        samples.begin(), samples.end(), std::back_inserter(samples_), [](const SampleItem& sample) {
            return sample.secondsAgo <= kSpanSeconds;
        });
    Q_EMIT changed();
}

}  // namespace bifocal::ui
