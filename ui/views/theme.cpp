// SPDX-License-Identifier: Apache-2.0
#include "ui/views/theme.h"

#include <QApplication>
#include <QEvent>
#include <QFile>
#include <QFontDatabase>
#include <QPalette>
#include <QStyleFactory>

#include <utility>

namespace bifocal::ui {

namespace {

const QColor kWords(0x4c8dff);
const QColor kLooks(0xf2a33a);

Palette darkPalette() {
    return {QColor(0x1b1e24),
            QColor(0x15171b),
            QColor(0x22262e),
            QColor(0x0f1114),
            QColor(0xffffff),
            QColor(0x2c313b),
            QColor(0xe7eaf0),
            QColor(0x9aa1ae),
            QColor(0x727a88),
            QColor(0xe7eaf0),
            QColor(0x15171b),
            kWords,
            kLooks,
            QColor(0xe5705f),
            QColor(0x6b7280),
            QColor(0xa5abb7),
            QColor(0xe7eaf0)};
}

Palette lightPalette() {
    return {QColor(0xfbfbfc),
            QColor(0xf4f5f7),
            QColor(0xffffff),
            QColor(0xffffff),
            QColor(0xffffff),
            QColor(0xe0e3e8),
            QColor(0x1d2026),
            QColor(0x646b78),
            QColor(0x8a91a0),
            QColor(0x1d2026),
            QColor(0xffffff),
            kWords,
            kLooks,
            QColor(0xc4483a),
            QColor(0xa0a6b2),
            QColor(0x646b78),
            QColor(0x1d2026)};
}

/// Qt 6.4 cannot ask the desktop for its scheme. The palette that an application gets which asks
/// for none of its own tells; Qt 6.5 has QStyleHints::colorScheme().
Appearance appearanceOfDesktop() {
    QApplication::setPalette(QPalette());
    const bool isDark = QGuiApplication::palette().color(QPalette::Window).lightness() < 128;
    return isDark ? Appearance::Dark : Appearance::Light;
}

QPalette toQPalette(const Palette& p) {
    QPalette palette;
    palette.setColor(QPalette::Window, p.panel);
    palette.setColor(QPalette::WindowText, p.text);
    palette.setColor(QPalette::Base, p.canvas);
    palette.setColor(QPalette::AlternateBase, p.panel);
    palette.setColor(QPalette::Text, p.text);
    palette.setColor(QPalette::PlaceholderText, p.faint);
    palette.setColor(QPalette::Button, p.raised);
    palette.setColor(QPalette::ButtonText, p.text);
    palette.setColor(QPalette::BrightText, p.strong);
    palette.setColor(QPalette::Highlight, p.words);
    palette.setColor(QPalette::HighlightedText, QColor(Qt::white));
    palette.setColor(QPalette::ToolTipBase, p.raised);
    palette.setColor(QPalette::ToolTipText, p.text);
    palette.setColor(QPalette::Link, p.words);
    for (const auto role : {QPalette::WindowText, QPalette::Text, QPalette::ButtonText}) {
        palette.setColor(QPalette::Disabled, role, p.faint);
    }
    return palette;
}

}  // namespace

Theme::Theme(QObject* parent) : Theme(appearanceOfDesktop, parent) {}

Theme::Theme(SystemAppearance systemAppearance, QObject* parent)
    : QObject(parent),
      systemAppearance_(std::move(systemAppearance)),
      palette_(darkPalette()),
      family_(QFontDatabase::hasFamily(QStringLiteral("Inter"))
                  ? QStringLiteral("Inter")
                  : QFontDatabase::systemFont(QFontDatabase::GeneralFont).family()) {}

void Theme::apply(QApplication& application, Appearance appearance) {
    application_ = &application;
    wanted_ = appearance;
    application.removeEventFilter(this);
    isChanging_ = true;
    if (appearance == Appearance::System) {
        application.installEventFilter(this);
        appearance = systemAppearance_();
    }
    application.setStyle(QStyleFactory::create(QStringLiteral("Fusion")));
    wear(appearance);
    isChanging_ = false;
}

void Theme::wear(Appearance appearance) {
    isDark_ = appearance == Appearance::Dark;
    palette_ = isDark_ ? darkPalette() : lightPalette();
    QApplication::setPalette(toQPalette(palette_));
    QApplication::setFont(font(TextSize::Body));
    application_->setStyleSheet(styleSheet());
    Q_EMIT changed();
}

bool Theme::eventFilter(QObject* watched, QEvent* event) {
    const bool hasDesktopChanged =
        event->type() == QEvent::ThemeChange ||
        (event->type() == QEvent::ApplicationPaletteChange && watched == application_);
    if (hasDesktopChanged && !isChanging_ && !std::exchange(isAsked_, true)) {
        // Later: Qt is in the middle of telling its widgets.
        QMetaObject::invokeMethod(this, &Theme::follow, Qt::QueuedConnection);
    }
    return QObject::eventFilter(watched, event);
}

void Theme::follow() {
    isAsked_ = false;
    if (wanted_ != Appearance::System) {
        return;
    }
    isChanging_ = true;
    const Appearance appearance = systemAppearance_();
    if ((appearance == Appearance::Dark) != isDark_) {
        wear(appearance);
    } else {
        QApplication::setPalette(toQPalette(palette_));  // looking may have taken it off
    }
    isChanging_ = false;
}

QFont Theme::font(TextSize size, QFont::Weight weight) const {
    QFont font(family_);
    font.setPixelSize(static_cast<int>(size));
    font.setWeight(weight);
    return font;
}

QString Theme::styleSheet() const {
    QFile file(QStringLiteral(":/style/bifocal.qss"));
    if (!file.open(QIODevice::ReadOnly)) {
        return {};
    }
    QString sheet = QString::fromUtf8(file.readAll());
    // Longer names first: @text must not eat the beginning of another token.
    const std::pair<const char*, QColor> tokens[] = {{"@hairline", palette_.hairline},
                                                     {"@onStrong", palette_.onStrong},
                                                     {"@canvas", palette_.canvas},
                                                     {"@raised", palette_.raised},
                                                     {"@strong", palette_.strong},
                                                     {"@muted", palette_.muted},
                                                     {"@panel", palette_.panel},
                                                     {"@faint", palette_.faint},
                                                     {"@field", palette_.field},
                                                     {"@words", palette_.words},
                                                     {"@looks", palette_.looks},
                                                     {"@text", palette_.text}};
    for (const auto& [name, colour] : tokens) {
        sheet.replace(QLatin1String(name), colour.name());
    }
    return sheet;
}

}  // namespace bifocal::ui
