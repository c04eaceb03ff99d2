// SPDX-License-Identifier: Apache-2.0
#include "ui/views/chart/waterfall.h"

#include "ui/models/request_model.h"
#include "ui/views/theme.h"

#include <QFontMetrics>
#include <QPainter>

#include <algorithm>

namespace bifocal::ui {

namespace {

constexpr int kRowHeight = 15;
constexpr int kNameWidth = 104;
constexpr int kFigureWidth = 62;

}  // namespace

QColor colourOf(LensKind lens, const Palette& palette) {
    switch (lens) {
        case LensKind::Words: return palette.words;
        case LensKind::Looks: return palette.looks;
        case LensKind::Decode: return palette.ramp1;
        case LensKind::Fuse: return palette.ramp3;
        case LensKind::Search: return palette.ramp2;
        case LensKind::Other: return palette.ramp1;
        case LensKind::Waiting: return palette.hairline;
    }
    return palette.ramp1;
}

void paintBar(QPainter& painter,
              const QRectF& box,
              const RequestItem& request,
              double fullMs,
              const Palette& palette) {
    if (fullMs <= 0) {
        return;
    }
    const double perMs = box.width() / fullMs;
    painter.fillRect(
        QRectF(box.left(), box.top(), std::max(1.0, request.totalMs * perMs), box.height()),
        palette.hairline);
    double drawnTo = -1;
    for (const SpanItem& span : request.spans) {
        if (span.lens == LensKind::Waiting) {
            continue;  // the ground of the bar says so already
        }
        const double left = box.left() + span.beginMs * perMs;
        const double width = std::max(1.0, span.durationMs * perMs);
        if (left + width <= drawnTo + 0.5 && width < 2) {
            continue;  // thousands of spans fall on one pixel
        }
        drawnTo = std::max(drawnTo, left + width);
        painter.fillRect(QRectF(left, box.top(), std::min(width, box.right() - left), box.height()),
                         colourOf(span.lens, palette));
    }
}

Waterfall::Waterfall(const Theme& theme, QWidget* parent) : QWidget(parent), theme_(theme) {
    setAccessibleName(tr("stages of the chosen request"));
    connect(&theme, &Theme::changed, this, [this] { update(); });
}

void Waterfall::show(const RequestItem& request) {
    request_ = request;
    update();
}

void Waterfall::clear() {
    show({});
}

QList<Waterfall::Stage> Waterfall::stages() const {
    QList<Stage> stages;
    for (const SpanItem& span : request_.spans) {
        const bool isWaiting = span.lens == LensKind::Waiting;
        const QString name = isWaiting ? tr("waiting") : span.stage;
        auto stage = std::find_if(
            stages.begin(), stages.end(), [&](const Stage& known) { return known.name == name; });
        if (stage == stages.end()) {
            stages.append({name, span.lens, 0, {}});
            stage = stages.end() - 1;
        }
        stage->sumMs += span.durationMs;
        stage->spans.append(span);
    }
    std::stable_sort(stages.begin(), stages.end(), [](const Stage& a, const Stage& b) {
        return a.spans.first().beginMs < b.spans.first().beginMs;
    });
    return stages;
}

void Waterfall::paintEvent(QPaintEvent* /*event*/) {
    const Palette& palette = theme_.palette();
    QPainter painter(this);
    painter.setFont(theme_.font(TextSize::Small));
    if (request_.id == 0) {
        painter.setPen(palette.faint);
        painter.drawText(rect(),
                         Qt::AlignCenter | Qt::TextWordWrap,
                         tr("Choose a request to see where its time went."));
        return;
    }
    // A stage's worker may let go a little after the answer is out.
    double full = std::max(0.001, request_.totalMs);
    for (const SpanItem& span : request_.spans) {
        full = std::max(full, span.beginMs + span.durationMs);
    }
    const double plotWidth = std::max(20, width() - kNameWidth - kFigureWidth);
    int top = 0;
    for (const Stage& stage : stages()) {
        if (top + kRowHeight > height()) {
            break;
        }
        painter.setPen(palette.muted);
        painter.drawText(
            QRect(0, top, kNameWidth - 8, kRowHeight),
            Qt::AlignVCenter,
            painter.fontMetrics().elidedText(stage.name, Qt::ElideRight, kNameWidth - 8));
        painter.fillRect(QRectF(kNameWidth, top + kRowHeight - 3, plotWidth, 1), palette.hairline);
        for (const SpanItem& span : stage.spans) {
            const double left = kNameWidth + plotWidth * span.beginMs / full;
            const double length = std::max(1.0, plotWidth * span.durationMs / full);
            painter.fillRect(QRectF(left, top + 3, length, kRowHeight - 6),
                             stage.lens == LensKind::Waiting ? palette.ramp1.darker(140)
                                                             : colourOf(stage.lens, palette));
        }
        painter.setPen(palette.text);
        painter.drawText(QRect(width() - kFigureWidth, top, kFigureWidth, kRowHeight),
                         Qt::AlignVCenter | Qt::AlignRight,
                         RequestModel::durationText(stage.sumMs));
        top += kRowHeight;
    }
}

}  // namespace bifocal::ui
