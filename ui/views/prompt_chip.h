// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <QImage>
#include <QWidget>

#include <cstdint>

namespace bifocal::ui {

class Theme;

/// A removable part of the prompt: the picture (amber, with its thumbnail) or a word to leave out
/// (dashed). Click on its cross, Delete, Backspace or Space removes. Threads: gui.
class PromptChip final : public QWidget {
    Q_OBJECT

public:
    enum class Kind : std::uint8_t { Picture = 1, Minus };

    PromptChip(Kind kind, const QString& text, const Theme& theme, QWidget* parent);

    const QString& text() const { return text_; }
    void setThumbnail(const QImage& image);
    bool hasThumbnail() const { return !thumbnail_.isNull(); }

    QSize sizeHint() const override;
    QSize minimumSizeHint() const override { return sizeHint(); }

Q_SIGNALS:
    void removed();

protected:
    void paintEvent(QPaintEvent* event) override;
    void mouseReleaseEvent(QMouseEvent* event) override;
    void keyPressEvent(QKeyEvent* event) override;

private:
    QString shownText() const;
    QRect crossRect() const;

    Kind kind_;
    QString text_;
    QImage thumbnail_;
    const Theme& theme_;
};

}  // namespace bifocal::ui
