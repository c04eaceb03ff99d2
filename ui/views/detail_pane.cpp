// SPDX-License-Identifier: Apache-2.0
#include "ui/views/detail_pane.h"

#include "ui/bridge/engine_bridge.h"
#include "ui/views/make_child.h"
#include "ui/views/paint.h"
#include "ui/views/theme.h"

#include <QClipboard>
#include <QDesktopServices>
#include <QGridLayout>
#include <QGuiApplication>
#include <QLabel>
#include <QLocale>
#include <QMimeData>
#include <QPainter>
#include <QPainterPath>
#include <QPushButton>
#include <QUrl>
#include <QVBoxLayout>

namespace bifocal::ui {

namespace {

constexpr int kPreviewSide = 640;

}  // namespace

/// The picture on paper with round corners; keeps its place while the picture is being loaded.
class DetailPane::Preview final : public QWidget {
public:
    Preview(const Theme& theme, QWidget* parent) : QWidget(parent), theme_(theme) {
        setMinimumHeight(120);
        setSizePolicy(QSizePolicy::Expanding, QSizePolicy::Expanding);
        setMaximumHeight(300);
    }

    void setImage(const QImage& image) {
        image_ = image;
        update();
    }
    const QImage& image() const { return image_; }

protected:
    void paintEvent(QPaintEvent* /*event*/) override {
        QPainter painter(this);
        painter.setRenderHint(QPainter::Antialiasing);
        QPainterPath outline;
        outline.addRoundedRect(QRectF(rect()).adjusted(0.5, 0.5, -0.5, -0.5), 8, 8);
        painter.fillPath(outline,
                         image_.isNull() ? theme_.palette().canvas : theme_.palette().paper);
        painter.setPen(QPen(theme_.palette().hairline, 1));
        painter.drawPath(outline);
        painter.setClipPath(outline);
        paintPicture(painter, QRectF(rect()).adjusted(12, 12, -12, -12), image_, 2, 1);
    }

private:
    const Theme& theme_;
    QImage image_;
};

/// The two lenses with their figures, and what names add when they do.
class DetailPane::Bars final : public QWidget {
public:
    Bars(const Theme& theme, QWidget* parent) : QWidget(parent), theme_(theme) {
        setFixedHeight(2 * kRowHeight);
    }

    void set(const ResultItem& item, double best) {
        words_ = double{item.words};
        looks_ = double{item.looks};
        names_ = double{item.names};
        best_ = best > 0 ? best : 1;
        setFixedHeight((names_ > 0 ? 3 : 2) * kRowHeight);
        const QLocale locale;
        QString name = DetailPane::tr("words %1, looks %2")
                           .arg(locale.toString(words_, 'f', 2), locale.toString(looks_, 'f', 2));
        if (names_ > 0) {
            name = DetailPane::tr("%1, names %2").arg(name, percent(names_));
        }
        setAccessibleName(name);
        setToolTip(names_ > 0 ? DetailPane::tr("What a picture shows and what it is called have "
                                               "one vote each on its place; names gave %1 of it.")
                                    .arg(percent(names_))
                              : QString());
        update();
    }

protected:
    void paintEvent(QPaintEvent* /*event*/) override {
        QPainter painter(this);
        const auto figure = [](double value) { return QLocale().toString(value, 'f', 2); };
        paintRow(painter, 0, DetailPane::tr("words"), figure(words_), words_ / best_, 0);
        paintRow(painter, kRowHeight, DetailPane::tr("looks"), figure(looks_), 0, looks_ / best_);
        if (names_ > 0) {
            paintRow(painter, 2 * kRowHeight, DetailPane::tr("names"), percent(names_), names_, 0);
        }
    }

private:
    static constexpr int kRowHeight = 22;

    static QString percent(double share) {
        return QLocale().toString(share * 100, 'f', 0) + QLocale().percent();
    }

    void paintRow(QPainter& painter,
                  int top,
                  const QString& name,
                  const QString& value,
                  double wordsShare,
                  double looksShare) const {
        painter.setFont(theme_.font(TextSize::Body));
        painter.setPen(theme_.palette().text);
        painter.drawText(QRect(0, top, 64, 20), Qt::AlignVCenter, name);
        painter.drawText(
            QRect(width() - 44, top, 44, 20), Qt::AlignVCenter | Qt::AlignRight, value);
        paintWhyBar(painter,
                    QRectF(72, top + 7, width() - 72 - 52, 6),
                    wordsShare,
                    looksShare,
                    theme_.palette());
    }

    const Theme& theme_;
    double words_ = 0;
    double looks_ = 0;
    double names_ = 0;
    double best_ = 1;
};

DetailPane::DetailPane(EngineBridge& bridge, const Theme& theme, QWidget* parent)
    : QWidget(parent), bridge_(bridge), theme_(theme) {
    setObjectName(QStringLiteral("panel"));
    setAttribute(Qt::WA_StyledBackground);
    setAccessibleName(tr("chosen picture"));
    auto* outer = new QVBoxLayout(this);
    outer->setContentsMargins(14, 14, 14, 14);
    empty_ = makeChild<QLabel>(this);
    empty_->setText(tr("Choose a picture to see it large and why it matched."));
    empty_->setWordWrap(true);
    empty_->setAlignment(Qt::AlignCenter);
    empty_->setObjectName(QStringLiteral("faint"));
    content_ = makeChild<QWidget>(this);
    outer->addWidget(empty_);
    outer->addWidget(content_);

    auto* layout = new QVBoxLayout(content_);
    layout->setContentsMargins(0, 0, 0, 0);
    layout->setSpacing(8);
    preview_ = new Preview(theme, content_);
    name_ = makeChild<QLabel>(content_);
    name_->setTextInteractionFlags(Qt::TextSelectableByMouse);
    name_->setWordWrap(true);
    facts_ = makeChild<QLabel>(content_);
    facts_->setObjectName(QStringLiteral("muted"));
    facts_->setWordWrap(true);
    bars_ = new Bars(theme, content_);
    why_ = makeChild<QLabel>(content_);
    why_->setObjectName(QStringLiteral("muted"));
    why_->setWordWrap(true);
    layout->addWidget(preview_, 1);
    layout->addSpacing(4);
    layout->addWidget(name_);
    layout->addWidget(facts_);
    layout->addWidget(bars_);
    layout->addWidget(why_);
    buildActions(content_);
    layout->addStretch(0);
    connect(&theme, &Theme::changed, this, &DetailPane::applyTheme);
    applyTheme();
    clear();
}

DetailPane::~DetailPane() {
    bridge_.cancelPicture(loading_);
}

void DetailPane::buildActions(QWidget* parent) {
    auto* actions = new QGridLayout();
    actions->setSpacing(6);
    const auto make = [&](const QString& text, const QString& tip, int row, int column) {
        auto* button = makeChild<QPushButton>(parent);
        button->setText(text);
        button->setToolTip(tip);
        actions->addWidget(button, row, column);
        return button;
    };
    open_ = make(tr("Open"), tr("Open in the default program (Enter)"), 0, 0);
    folder_ = make(tr("Show in folder"), tr("Show in folder (Ctrl+Shift+E)"), 0, 1);
    prompt_ = make(tr("More like this"), tr("Use this picture as the prompt (Ctrl+L)"), 1, 0);
    copy_ = make(tr("Copy"), tr("Copy picture and path (Ctrl+C)"), 1, 1);
    static_cast<QVBoxLayout*>(parent->layout())->addLayout(actions);
    connect(open_, &QPushButton::clicked, this, &DetailPane::openPicture);
    connect(folder_, &QPushButton::clicked, this, &DetailPane::showInFolder);
    connect(copy_, &QPushButton::clicked, this, &DetailPane::copyPicture);
    connect(prompt_, &QPushButton::clicked, this, [this] {
        if (item_) {
            Q_EMIT promptWanted(*item_);
        }
    });
}

void DetailPane::applyTheme() {
    name_->setFont(theme_.font(TextSize::Title, QFont::DemiBold));
    facts_->setFont(theme_.font(TextSize::Small));
    why_->setFont(theme_.font(TextSize::Small));
    empty_->setFont(theme_.font(TextSize::Body));
    update();
}

void DetailPane::show(const ResultItem& item, double best) {
    const bool isSame = item_ && item_->content == item.content;
    item_ = item;
    empty_->hide();
    content_->show();
    name_->setText(nameOf(item.path));
    facts_->setText(describe(item));
    facts_->setToolTip(textOf(item.path));
    const bool isRanked = item.fit != Fit::None;
    bars_->setVisible(isRanked);
    why_->setVisible(isRanked);
    bars_->set(item, best);
    why_->setText(explain(item));
    if (isSame) {
        return;
    }
    bridge_.cancelPicture(loading_);
    preview_->setImage({});
    loading_ = bridge_.loadPicture(
        item.path, kPreviewSide, Urgency::Interactive, this, [this](const QImage& image) {
            preview_->setImage(image);
            Q_EMIT previewShown();
        });
}

bool DetailPane::hasPreview() const {
    return !preview_->image().isNull();
}

void DetailPane::clear() {
    bridge_.cancelPicture(loading_);
    loading_ = {};
    item_.reset();
    content_->hide();
    empty_->show();
}

QString DetailPane::describe(const ResultItem& item) const {
    const QLocale locale;
    QStringList facts{textOf(item.path.parent_path())
                          .section(QLatin1Char('/'), -3)
                          .replace(QLatin1Char('/'), QStringLiteral(" / "))};
    if (!item.pixels.isEmpty()) {
        facts.append(QStringLiteral("%1 × %2").arg(item.pixels.width()).arg(item.pixels.height()));
    }
    facts.append(locale.formattedDataSize(item.sizeBytes, 0, QLocale::DataSizeTraditionalFormat));
    facts.append(locale.toString(item.modified.date(), QLocale::ShortFormat));
    for (QString& fact : facts) {
        if (fact != facts.first()) {  // lines break between facts; the folders are too long for it
            fact.replace(QLatin1Char(' '), QChar(QChar::Nbsp));
        }
    }
    return facts.join(QStringLiteral(" · "));
}

QString DetailPane::explain(const ResultItem& item) const {
    if (item.isThisPicture) {
        return tr("This is the picture of the prompt.");
    }
    QString fit = explainFit(item.fit);
    if (item.names <= 0) {
        return fit;
    }
    return fit + QLatin1Char(' ') +
           (item.isOwnName ? tr("Its name holds the words of the prompt.")
                           : tr("The names of its folders hold words of the prompt."));
}

QString DetailPane::explainFit(Fit fit) {
    switch (fit) {
        case Fit::Strong: return tr("A strong match: it stands far out of the rest.");
        case Fit::Fair: return tr("A fair match: it stands out of the rest.");
        case Fit::Weak: return tr("A weak match: hardly better than the rest.");
        case Fit::None: return {};
    }
    return {};
}

void DetailPane::openPicture() {
    if (item_) {
        QDesktopServices::openUrl(QUrl::fromLocalFile(textOf(item_->path)));
    }
}

void DetailPane::showInFolder() {
    if (item_) {
        QDesktopServices::openUrl(QUrl::fromLocalFile(textOf(item_->path.parent_path())));
    }
}

void DetailPane::copyPicture() {
    if (!item_) {
        return;
    }
    auto* mime = new QMimeData();  // the clipboard takes it
    mime->setUrls({QUrl::fromLocalFile(textOf(item_->path))});
    mime->setText(textOf(item_->path));
    if (!preview_->image().isNull()) {
        mime->setImageData(preview_->image());
    }
    QGuiApplication::clipboard()->setMimeData(mime);
}

}  // namespace bifocal::ui
