// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "ui/models/items.h"

#include <QObject>

namespace bifocal::ui {

/// The last minute of the live charts, oldest first. Threads: gui.
class ProfilerSeries final : public QObject {
    Q_OBJECT

public:
    explicit ProfilerSeries(QObject* parent = nullptr);

    static constexpr double kSpanSeconds = 60;

    /// Replaces the samples; older ones than kSpanSeconds are dropped.
    void setSamples(const QList<SampleItem>& samples);

    const QList<SampleItem>& samples() const { return samples_; }
    /// The newest; a default one when there is none.
    SampleItem last() const { return samples_.isEmpty() ? SampleItem{} : samples_.last(); }
    bool hasVram() const { return !samples_.isEmpty() && samples_.last().vramBytes.has_value(); }

Q_SIGNALS:
    void changed();

private:
    QList<SampleItem> samples_;
};

}  // namespace bifocal::ui
