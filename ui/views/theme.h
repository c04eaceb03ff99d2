// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <QColor>
#include <QFont>
#include <QObject>

#include <cstdint>
#include <functional>

class QApplication;

namespace bifocal::ui {

/// The named colours; nothing is painted with any other.
struct Palette {
    QColor panel;     ///< side bar, prompt bar, detail, dock
    QColor canvas;    ///< behind the grid
    QColor raised;    ///< cards, buttons, the chosen row
    QColor field;     ///< where one types
    QColor paper;     ///< behind a picture that lets light through
    QColor hairline;  ///< every line and every empty bar
    QColor text;
    QColor muted;   ///< secondary text
    QColor faint;   ///< axis figures, hints
    QColor strong;  ///< the one filled button, the ring around the chosen card
    QColor onStrong;
    QColor words;  ///< the words lens, everywhere
    QColor looks;  ///< the looks lens, everywhere
    QColor warning;
    QColor ramp1;  ///< charts, dark to light on dark, light to dark on light
    QColor ramp2;
    QColor ramp3;
};

enum class TextSize : std::uint8_t { Small = 11, Body = 12, Title = 13, Prompt = 16 };
enum class Appearance : std::uint8_t { System = 1, Dark, Light };

/// The look of the window: palette, fonts and the style sheet made of them. With
/// Appearance::System it follows the desktop when that turns dark or light.
/// Threads: gui. Owned by the application; handed to each view, which repaints on changed().
class Theme final : public QObject {
    Q_OBJECT

public:
    /// What the desktop looks like now: Dark or Light.
    using SystemAppearance = std::function<Appearance()>;

    explicit Theme(QObject* parent = nullptr);
    explicit Theme(SystemAppearance systemAppearance, QObject* parent = nullptr);

    /// Applies palette, font and style sheet to the whole application, which must outlive it.
    void apply(QApplication& application, Appearance appearance);

    const Palette& palette() const { return palette_; }
    bool isDark() const { return isDark_; }
    QFont font(TextSize size, QFont::Weight weight = QFont::Normal) const;

    static constexpr int kStep = 8;    ///< the rhythm of all distances
    static constexpr int kRadius = 8;  ///< of cards and fields

Q_SIGNALS:
    void changed();

protected:
    bool eventFilter(QObject* watched, QEvent* event) override;

private:
    void follow();
    void wear(Appearance appearance);
    QString styleSheet() const;

    SystemAppearance systemAppearance_;
    QApplication* application_ = nullptr;
    Appearance wanted_ = Appearance::Dark;
    bool isChanging_ = false;  ///< the palette events of now are its own
    bool isAsked_ = false;     ///< to look at the desktop, at the next turn of the event loop

    Palette palette_;
    QString family_;
    bool isDark_ = true;
};

}  // namespace bifocal::ui
