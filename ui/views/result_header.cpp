// SPDX-License-Identifier: Apache-2.0
#include "ui/views/result_header.h"

#include "ui/views/make_child.h"
#include "ui/views/narrowing_bar.h"
#include "ui/views/theme.h"

#include <QHBoxLayout>
#include <QLabel>
#include <QLocale>
#include <QPushButton>
#include <QVBoxLayout>

namespace bifocal::ui {

namespace {

QString number(std::uint64_t value) {
    return QLocale().toString(static_cast<qulonglong>(value));
}

bool isAnswer(AnswerSummary::State state) {
    return state == AnswerSummary::State::Partial || state == AnswerSummary::State::Final;
}

QPushButton* makeLink(QWidget* parent) {
    auto* link = makeChild<QPushButton>(parent);
    link->setObjectName(QStringLiteral("quietLink"));
    link->setFlat(true);
    link->setCursor(Qt::PointingHandCursor);
    link->hide();
    return link;
}

}  // namespace

ResultHeader::ResultHeader(const Theme& theme, QWidget* parent) : QWidget(parent), theme_(theme) {
    auto* layout = new QVBoxLayout(this);
    layout->setContentsMargins(18, 12, 18, 2);
    layout->setSpacing(4);
    auto* line = new QHBoxLayout();
    line->setSpacing(6);
    headline_ = makeChild<QLabel>(this);
    fits_ = makeChild<QLabel>(this);
    fits_->setObjectName(QStringLiteral("muted"));
    scan_ = makeLink(this);
    time_ = makeLink(this);
    time_->setToolTip(tr("Show where the time went"));
    narrowing_ = makeChild<NarrowingBar>(this, theme);
    narrowing_->hide();
    advice_ = makeChild<QLabel>(this);
    advice_->setWordWrap(true);
    advice_->hide();
    line->addWidget(headline_);
    line->addWidget(fits_);
    line->addWidget(scan_);
    line->addStretch(1);
    line->addWidget(narrowing_);
    line->addWidget(time_);
    layout->addLayout(line);
    layout->addWidget(advice_);
    connect(time_, &QPushButton::clicked, this, [this] { Q_EMIT requestWanted(request_); });
    connect(scan_, &QPushButton::clicked, this, &ResultHeader::scanWanted);
    connect(&theme, &Theme::changed, this, &ResultHeader::applyTheme);
    applyTheme();
}

void ResultHeader::applyTheme() {
    headline_->setFont(theme_.font(TextSize::Body, QFont::DemiBold));
    fits_->setFont(theme_.font(TextSize::Body));
    scan_->setFont(theme_.font(TextSize::Body));
    time_->setFont(theme_.font(TextSize::Body));
    advice_->setFont(theme_.font(TextSize::Body));
}

QString ResultHeader::headline(const AnswerSummary& summary) const {
    switch (summary.state) {
        case AnswerSummary::State::Empty: return {};
        case AnswerSummary::State::Searching:
            return summary.searchedCount == 0
                       ? tr("searching…")
                       : tr("%1 of %2 searched · searching again…")
                             .arg(number(summary.shownCount), number(summary.searchedCount));
        case AnswerSummary::State::Partial:
        case AnswerSummary::State::Final:
            return tr("%1 of %2 searched")
                .arg(number(summary.shownCount), number(summary.searchedCount));
        case AnswerSummary::State::Browsing:
            return summary.collection.isEmpty() ? tr("%Ln picture(s), newest first",
                                                     nullptr,
                                                     static_cast<int>(summary.searchedCount))
                                                : tr("%Ln picture(s) in %1, newest first",
                                                     nullptr,
                                                     static_cast<int>(summary.searchedCount))
                                                      .arg(summary.collection);
        case AnswerSummary::State::Failed: return tr("no answer");
    }
    return {};
}

QString ResultHeader::advice(const AnswerSummary& summary) const {
    if (summary.state != AnswerSummary::State::Final) {
        return {};
    }
    QStringList lines;
    if (summary.notes.contains(AnswerSummary::Note::TextUnread)) {
        lines.append(
            tr("The installed models do not read this script, so the words were left out."));
    }
    if (summary.notes.contains(AnswerSummary::Note::TextPartlyUnread)) {
        lines.append(
            tr("The installed models do not know all of these words; they used the rest."));
    }
    if (summary.notes.contains(AnswerSummary::Note::TextTruncated)) {
        lines.append(tr("The text is longer than the models read; its end was left out."));
    }
    if (summary.best == Fit::None && summary.shownCount + summary.hiddenCount > 0) {
        lines.append(summary.usesWords && summary.usesLooks
                         ? tr("Nothing really matches. Try moving the balance to one lens.")
                     : summary.usesWords
                         ? tr("Nothing really matches. Try fewer words, or add a picture.")
                         : tr("Nothing really looks like this. Try adding a few words."));
    }
    return lines.join(QLatin1Char('\n'));
}

void ResultHeader::show(const AnswerSummary& summary, const QStringList& scanned) {
    request_ = summary.request;
    headline_->setText(headline(summary));
    headline_->setVisible(!headline_->text().isEmpty());
    QStringList fits;
    if (isAnswer(summary.state)) {
        if (summary.strongCount > 0) {
            fits.append(tr("%Ln strong", nullptr, summary.strongCount));
        }
        if (summary.fairCount > 0) {
            fits.append(tr("%Ln fair", nullptr, summary.fairCount));
        }
        if (summary.hiddenCount > 0) {
            fits.append(tr("%Ln weaker hidden", nullptr, static_cast<int>(summary.hiddenCount)));
        }
    }
    fits_->setText(fits.isEmpty() ? QString() : QStringLiteral("·  ") + fits.join(tr(", ")));
    fits_->setVisible(!fits.isEmpty());
    scan_->setVisible(!scanned.isEmpty());
    const QString scan = tr("still indexing %1").arg(scanned.join(tr(", ")));
    scan_->setText(headline_->text().isEmpty() ? scan : QStringLiteral("·  ") + scan);
    if (summary.state != AnswerSummary::State::Searching) {  // stays while an answer is refined
        narrowing_->setVisible(isAnswer(summary.state));
    }
    time_->setVisible(isAnswer(summary.state));
    time_->setText(
        tr("%1 ms").arg(QLocale().toString(summary.totalMs, 'f', summary.totalMs < 10 ? 1 : 0)));
    time_->setAccessibleName(
        tr("this answer took %1; show where the time went").arg(time_->text()));
    const QString line = advice(summary);
    advice_->setText(line);
    advice_->setVisible(!line.isEmpty());
}

QString ResultHeader::text() const {
    QStringList parts{headline_->text(), fits_->text()};
    if (scan_->isVisibleTo(this)) {
        parts.append(scan_->text());
    }
    if (time_->isVisibleTo(this)) {
        parts.append(time_->text());
    }
    if (!advice_->text().isEmpty()) {
        parts.append(advice_->text());
    }
    return parts.join(QLatin1Char(' ')).simplified();
}

}  // namespace bifocal::ui
