// SPDX-License-Identifier: Apache-2.0
#include "ui/views/prompt_bar.h"

#include "ui/bridge/dictation.h"
#include "ui/bridge/engine_bridge.h"
#include "ui/views/balance_slider.h"
#include "ui/views/icons.h"
#include "ui/views/make_child.h"
#include "ui/views/microphone_button.h"
#include "ui/views/prompt_chip.h"
#include "ui/views/theme.h"

#include <QHBoxLayout>
#include <QKeyEvent>
#include <QLabel>
#include <QLineEdit>
#include <QPainter>
#include <QPushButton>
#include <QRegularExpression>
#include <QToolButton>
#include <QVBoxLayout>

#include <utility>

namespace bifocal::ui {

namespace {

constexpr int kFieldHeight = 54;
constexpr int kChipThumbnailSide = 96;

QToolButton* makeGlyphButton(QWidget* parent, const QString& name, const QString& tip) {
    auto* button = makeChild<QToolButton>(parent);
    button->setFixedSize(32, 32);
    button->setIconSize(QSize(20, 20));
    button->setAccessibleName(name);
    button->setToolTip(tip);
    return button;
}

}  // namespace

PromptBar::PromptBar(EngineBridge& bridge, const Theme& theme, QWidget* parent)
    : QWidget(parent), bridge_(bridge), theme_(theme) {
    setObjectName(QStringLiteral("panel"));
    setAttribute(Qt::WA_StyledBackground);
    auto* layout = new QVBoxLayout(this);
    layout->setContentsMargins(18, 14, 18, 8);
    layout->setSpacing(6);
    buildField();
    buildBalanceLine();
    layout->addWidget(field_);
    layout->addWidget(balanceLine_);
    typing_.setSingleShot(true);
    typing_.setInterval(kTypingPause);
    connect(&typing_, &QTimer::timeout, this, &PromptBar::search);
    connect(&theme, &Theme::changed, this, &PromptBar::applyTheme);
    applyTheme();
    showLenses();
}

void PromptBar::buildField() {
    field_ = makeChild<QWidget>(this);
    field_->setFixedHeight(kFieldHeight);
    fieldLayout_ = new QHBoxLayout(field_);
    fieldLayout_->setContentsMargins(14, 0, 10, 0);
    fieldLayout_->setSpacing(8);

    text_ = makeChild<QLineEdit>(field_);
    text_->setObjectName(QStringLiteral("promptText"));
    text_->setPlaceholderText(tr("What are you looking for?"));
    text_->setAccessibleName(tr("prompt"));
    text_->setAcceptDrops(false);  // the whole window is the target
    text_->installEventFilter(this);
    setFocusProxy(text_);

    capture_ =
        makeGlyphButton(field_,
                        tr("capture a region"),
                        tr("Capture part of the screen (Ctrl+Shift+S); right click: more ways"));
    open_ = makeGlyphButton(field_, tr("open a picture"), tr("Search with a picture (Ctrl+O)"));
    find_ = makeChild<QPushButton>(field_);
    find_->setText(tr("Find"));
    find_->setObjectName(QStringLiteral("primary"));
    find_->setToolTip(tr("Search now (Enter)"));

    fieldLayout_->addWidget(text_, 1);
    fieldLayout_->addWidget(capture_);
    fieldLayout_->addWidget(open_);
    fieldLayout_->addSpacing(2);
    fieldLayout_->addWidget(find_);

    connect(text_, &QLineEdit::textEdited, this, &PromptBar::onTextEdited);
    connect(capture_, &QToolButton::clicked, this, &PromptBar::captureWanted);
    connect(open_, &QToolButton::clicked, this, &PromptBar::openWanted);
    connect(find_, &QPushButton::clicked, this, [this] {
        takeMinusWords(text_->text() + QLatin1Char(' '));
        search();
    });
}

void PromptBar::setDictation(Dictation& dictation) {
    dictation_ = &dictation;
    microphone_ = makeChild<MicrophoneButton>(field_, dictation, theme_);
    fieldLayout_->insertWidget(fieldLayout_->indexOf(capture_), microphone_);
    connect(&dictation, &Dictation::stateChanged, this, &PromptBar::showDictation);
    connect(&dictation, &Dictation::heardSoFar, this, &PromptBar::showSpoken);
    connect(&dictation, &Dictation::recognized, this, [this](const QString& words) {
        showSpoken(words);
        focusText();
        if (spokenWords_ == SpokenWords::SearchAtOnce) {
            search();
        }
    });
    connect(&dictation, &Dictation::failed, this, [this] { text_->setText(typed_); });
}

void PromptBar::toggleListening() {
    if (dictation_ == nullptr) {
        return;
    }
    if (dictation_->state() == Dictation::State::Listening) {
        dictation_->end();
    } else {
        dictation_->begin(Dictation::Ending::BySilence);
    }
}

void PromptBar::showDictation() {
    if (dictation_->state() == Dictation::State::Listening) {
        typing_.stop();
        typed_ = text_->text();
    }
    text_->setReadOnly(dictation_->state() != Dictation::State::Idle);
    showLenses();
}

void PromptBar::showSpoken(const QString& words) {
    const QString typed = typed_.trimmed();
    text_->setText(typed.isEmpty() ? words : typed + QLatin1Char(' ') + words);
    showLenses();
}

void PromptBar::buildBalanceLine() {
    balanceLine_ = makeChild<QWidget>(this);
    balanceLine_->setFixedHeight(26);
    auto* layout = new QHBoxLayout(balanceLine_);
    layout->setContentsMargins(4, 0, 4, 0);
    layout->setSpacing(10);
    wordsLabel_ = makeChild<QLabel>(balanceLine_);
    wordsLabel_->setText(tr("words"));
    balance_ = makeChild<BalanceSlider>(balanceLine_, theme_);
    looksLabel_ = makeChild<QLabel>(balanceLine_);
    looksLabel_->setText(tr("looks"));
    hint_ = makeChild<QLabel>(balanceLine_);
    hint_->setObjectName(QStringLiteral("faint"));
    layout->addWidget(wordsLabel_);
    layout->addWidget(balance_);
    layout->addWidget(looksLabel_);
    layout->addWidget(hint_);
    layout->addStretch(1);
    connect(balance_, &BalanceSlider::valueChanged, this, [this] { typing_.start(); });
    connect(balance_, &BalanceSlider::sliderReleased, this, &PromptBar::search);
}

void PromptBar::applyTheme() {
    const Palette& palette = theme_.palette();
    text_->setFont(theme_.font(TextSize::Prompt));
    find_->setFont(theme_.font(TextSize::Title, QFont::DemiBold));
    capture_->setIcon(glyphIcon(Glyph::Capture, palette.muted));
    open_->setIcon(glyphIcon(Glyph::Picture, palette.muted));
    for (const auto& [label, colour] :
         {std::pair(wordsLabel_, palette.words), std::pair(looksLabel_, palette.looks)}) {
        QPalette own = label->palette();
        own.setColor(QPalette::WindowText, colour);
        label->setPalette(own);
    }
    update();
}

void PromptBar::paintEvent(QPaintEvent* event) {
    QWidget::paintEvent(event);
    const Palette& palette = theme_.palette();
    QPainter painter(this);
    painter.setRenderHint(QPainter::Antialiasing);
    painter.setBrush(palette.field);
    painter.setPen(QPen(text_->hasFocus() ? palette.faint : palette.hairline, 1));
    painter.drawRoundedRect(QRectF(field_->geometry()).adjusted(0.5, 0.5, -0.5, -0.5), 10, 10);
}

bool PromptBar::eventFilter(QObject* watched, QEvent* event) {
    if (event->type() == QEvent::FocusIn || event->type() == QEvent::FocusOut) {
        update();
    }
    if (event->type() != QEvent::KeyPress) {
        return QWidget::eventFilter(watched, event);
    }
    const auto* key = static_cast<QKeyEvent*>(event);
    switch (key->key()) {
        case Qt::Key_Return:
        case Qt::Key_Enter:
            takeMinusWords(text_->text() + QLatin1Char(' '));
            search();
            return true;
        case Qt::Key_Escape: return stopListening() || removeLastPart();
        case Qt::Key_Backspace:
            return text_->cursorPosition() == 0 && !text_->hasSelectedText() && removeLastChip();
        default: return QWidget::eventFilter(watched, event);
    }
}

void PromptBar::onTextEdited() {
    takeMinusWords(text_->text());
    showLenses();
    typing_.start();
}

void PromptBar::takeMinusWords(const QString& text) {
    static const QRegularExpression minusWord(
        QStringLiteral("(^|\\s)[-−]([\\p{L}\\p{N}][\\p{L}\\p{N}'’-]*)\\s"));
    QString rest = text;
    QRegularExpressionMatch match = minusWord.match(rest);
    if (!match.hasMatch()) {
        return;
    }
    while (match.hasMatch()) {
        addMinus(match.captured(2));
        rest.replace(match.capturedStart(), match.capturedLength(), match.captured(1));
        match = minusWord.match(rest);
    }
    text_->setText(rest.trimmed().isEmpty() ? QString() : rest);
}

void PromptBar::addMinus(const QString& word) {
    auto* chip = makeChild<PromptChip>(field_, PromptChip::Kind::Minus, word, theme_);
    connect(chip, &PromptChip::removed, this, [this, chip] {
        removeMinus(chip);
        search();
    });
    minusChips_.append(chip);
    fieldLayout_->insertWidget(fieldLayout_->indexOf(capture_), chip);
    chip->show();
}

void PromptBar::removeMinus(PromptChip* chip) {
    minusChips_.removeOne(chip);
    chip->hide();
    chip->deleteLater();
    focusText();
}

void PromptBar::setPicture(const PictureSource& picture, const QString& name) {
    removePicture();
    picture_ = picture;
    pictureChip_ = makeChild<PromptChip>(field_, PromptChip::Kind::Picture, name, theme_);
    connect(pictureChip_, &PromptChip::removed, this, [this] {
        removePicture();
        search();
    });
    fieldLayout_->insertWidget(0, pictureChip_);
    pictureChip_->show();
    if (const auto* image = std::get_if<QImage>(&picture)) {
        pictureChip_->setThumbnail(
            image->scaled(kChipThumbnailSide * 2, kChipThumbnailSide * 2, Qt::KeepAspectRatio)
                .scaled(kChipThumbnailSide,
                        kChipThumbnailSide,
                        Qt::KeepAspectRatio,
                        Qt::SmoothTransformation));
    } else {
        PromptChip* chip = pictureChip_;
        bridge_.loadPicture(
            picture, kChipThumbnailSide, Urgency::Interactive, chip, [chip](const QImage& loaded) {
                chip->setThumbnail(loaded);
            });
    }
    focusText();
    search();
}

void PromptBar::removePicture() {
    picture_.reset();
    if (pictureChip_ != nullptr) {
        pictureChip_->hide();
        pictureChip_->deleteLater();
        pictureChip_ = nullptr;
        focusText();
    }
}

bool PromptBar::removeLastChip() {
    if (!minusChips_.isEmpty()) {
        removeMinus(minusChips_.last());
    } else if (picture_) {
        removePicture();
    } else {
        return false;
    }
    search();
    return true;
}

bool PromptBar::stopListening() {
    if (dictation_ == nullptr || dictation_->state() == Dictation::State::Idle) {
        return false;
    }
    dictation_->cancel();
    text_->setText(typed_);
    return true;
}

bool PromptBar::removeLastPart() {
    if (removeLastChip()) {
        return true;
    }
    if (text_->text().isEmpty()) {
        return false;
    }
    text_->clear();
    search();
    return true;
}

void PromptBar::clear() {
    while (!minusChips_.isEmpty()) {
        removeMinus(minusChips_.last());
    }
    removePicture();
    text_->clear();
    search();
}

void PromptBar::focusText() {
    text_->setFocus(Qt::OtherFocusReason);
}

PromptDraft PromptBar::draft() const {
    PromptDraft draft;
    draft.text = text_->text();
    draft.picture = picture_;
    draft.pictureName = pictureChip_ == nullptr ? QString() : pictureChip_->text();
    for (const PromptChip* chip : minusChips_) {
        draft.minus.append(chip->text());
    }
    draft.balance = balance_->balance();
    return draft;
}

void PromptBar::search() {
    typing_.stop();
    if (dictation_ == nullptr || dictation_->state() == Dictation::State::Idle) {
        typed_ = QString();
    }
    showLenses();
    Q_EMIT promptChanged(draft());
}

void PromptBar::showLenses() {
    const PromptDraft now = draft();
    const bool both = now.usesBothLenses();
    wordsLabel_->setVisible(both);
    balance_->setVisible(both);
    looksLabel_->setVisible(both);
    const bool listens =
        dictation_ != nullptr && dictation_->state() == Dictation::State::Listening;
    const bool recognizes =
        dictation_ != nullptr && dictation_->state() == Dictation::State::Recognizing;
    hint_->setVisible(!both || listens || recognizes);
    hint_->setText(
        listens      ? tr("Listening to English… it ends when you pause, Esc gives up.")
        : recognizes ? tr("Understanding what was said…")
        : dictation_ != nullptr && !typed_.isNull() && text_->text() != typed_
            ? tr("Enter searches for what was understood; it can be edited first.")
        : now.picture ? tr("Add words to steer: the balance between words and looks appears here.")
        : now.text.trimmed().isEmpty()
            ? tr("Type words, drop or paste a picture, or capture part of the screen.")
            : tr("Add a picture to search by looks as well; -word leaves something out."));
}

}  // namespace bifocal::ui
