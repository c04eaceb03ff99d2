// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "ui/models/items.h"

#include <QColor>
#include <QWidget>

class QPainter;

namespace bifocal::ui {

class Theme;
struct Palette;

/// The colour of a lens or stage: words blue, looks amber, the rest a ramp of greys.
QColor colourOf(LensKind lens, const Palette& palette);

/// One bar of a request: its spans on one line, `fullMs` is the whole width.
void paintBar(QPainter& painter,
              const QRectF& box,
              const RequestItem& request,
              double fullMs,
              const Palette& palette);

/// A request's stages one below the other, each at its time, with its duration. Stages that ran
/// often are drawn on one line with their sum. Threads: gui.
class Waterfall final : public QWidget {
    Q_OBJECT

public:
    Waterfall(const Theme& theme, QWidget* parent);

    void show(const RequestItem& request);
    void clear();
    std::uint64_t request() const { return request_.id; }

    QSize minimumSizeHint() const override { return {200, 60}; }

protected:
    void paintEvent(QPaintEvent* event) override;

private:
    struct Stage {
        QString name;
        LensKind lens = LensKind::Other;
        double sumMs = 0;
        QList<SpanItem> spans;
    };

    QList<Stage> stages() const;

    RequestItem request_;
    const Theme& theme_;
};

}  // namespace bifocal::ui
