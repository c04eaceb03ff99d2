// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "ui/models/items.h"

#include <QList>
#include <QTimer>
#include <QWidget>

#include <chrono>

class QHBoxLayout;
class QLabel;
class QLineEdit;
class QPushButton;
class QToolButton;

namespace bifocal::ui {

class BalanceSlider;
class Dictation;
class EngineBridge;
class MicrophoneButton;
class PromptChip;
class Theme;

/// One field for every prompt: text, the picture's chip, words to leave out, and the balance line
/// below, which appears when both lenses are in use.
///
/// A "-word" that is typed and followed by a space or Enter becomes a chip. promptChanged comes
/// kTypingPause after the last key, at once with Enter and when a chip comes or goes. Escape
/// removes one chip at a time, then the text. Threads: gui.
class PromptBar final : public QWidget {
    Q_OBJECT

public:
    static constexpr std::chrono::milliseconds kTypingPause{120};

    PromptBar(EngineBridge& bridge, const Theme& theme, QWidget* parent);

    /// Lets words be spoken: they go behind those that are there, and are not searched before
    /// Enter, unless setSpokenWords() says so. `dictation` must outlive the bar.
    void setDictation(Dictation& dictation);
    enum class SpokenWords : std::uint8_t { WaitForEnter = 1, SearchAtOnce };
    void setSpokenWords(SpokenWords what) { spokenWords_ = what; }
    SpokenWords spokenWords() const { return spokenWords_; }
    /// Begins to listen, or ends it.
    void toggleListening();
    /// Gives up what is being spoken and keeps what was typed; false when nobody listens.
    bool stopListening();
    /// Announces what is there, without waiting for the next key.
    void search();

    PromptDraft draft() const;
    void setPicture(const PictureSource& picture, const QString& name);
    void clear();
    void focusText();

    QLineEdit& textField() { return *text_; }
    BalanceSlider& balance() { return *balance_; }
    QPushButton& findButton() { return *find_; }
    QToolButton& captureButton() { return *capture_; }
    MicrophoneButton* microphoneButton() { return microphone_; }  ///< null without a dictation
    PromptChip* pictureChip() { return pictureChip_; }
    const QList<PromptChip*>& minusChips() const { return minusChips_; }

Q_SIGNALS:
    void promptChanged(const bifocal::ui::PromptDraft& draft);
    void captureWanted();
    void openWanted();

protected:
    void paintEvent(QPaintEvent* event) override;
    bool eventFilter(QObject* watched, QEvent* event) override;

private:
    void buildField();
    void buildBalanceLine();
    void onTextEdited();
    void takeMinusWords(const QString& text);
    void addMinus(const QString& word);
    void removePicture();
    void removeMinus(PromptChip* chip);
    bool removeLastChip();
    bool removeLastPart();
    void showLenses();
    void showDictation();
    void showSpoken(const QString& words);
    void applyTheme();

    EngineBridge& bridge_;
    const Theme& theme_;
    QWidget* field_ = nullptr;
    QHBoxLayout* fieldLayout_ = nullptr;
    QLineEdit* text_ = nullptr;
    QToolButton* capture_ = nullptr;
    QToolButton* open_ = nullptr;
    Dictation* dictation_ = nullptr;
    MicrophoneButton* microphone_ = nullptr;
    QPushButton* find_ = nullptr;
    QWidget* balanceLine_ = nullptr;
    QLabel* hint_ = nullptr;
    BalanceSlider* balance_ = nullptr;
    QLabel* wordsLabel_ = nullptr;
    QLabel* looksLabel_ = nullptr;

    std::optional<PictureSource> picture_;
    PromptChip* pictureChip_ = nullptr;
    QList<PromptChip*> minusChips_;
    QTimer typing_;
    QString typed_;  ///< before the words that are being spoken
    SpokenWords spokenWords_ = SpokenWords::WaitForEnter;
};

}  // namespace bifocal::ui
