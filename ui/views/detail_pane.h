// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/base/ids.h"
#include "ui/models/items.h"

#include <QImage>
#include <QWidget>

class QLabel;
class QPushButton;

namespace bifocal::ui {

class EngineBridge;
class Theme;

/// One picture large, what is known of it, why it matched, and what can be done with it.
/// Threads: gui.
class DetailPane final : public QWidget {
    Q_OBJECT
    Q_DISABLE_COPY(DetailPane)

public:
    DetailPane(EngineBridge& bridge, const Theme& theme, QWidget* parent);
    ~DetailPane() override;

    /// `best` is the largest contribution in the answer: the full length of a bar.
    void show(const ResultItem& item, double best);
    void clear();

    const std::optional<ResultItem>& item() const { return item_; }
    bool hasPreview() const;

    void openPicture();
    void showInFolder();
    void copyPicture();

Q_SIGNALS:
    void promptWanted(const bifocal::ui::ResultItem& item);
    void previewShown();

private:
    class Preview;
    class Bars;

    void buildActions(QWidget* parent);
    QString describe(const ResultItem& item) const;
    QString explain(const ResultItem& item) const;
    static QString explainFit(Fit fit);
    void applyTheme();

    EngineBridge& bridge_;
    const Theme& theme_;
    std::optional<ResultItem> item_;
    RequestId loading_;
    QWidget* content_ = nullptr;
    QLabel* empty_ = nullptr;
    Preview* preview_ = nullptr;
    QLabel* name_ = nullptr;
    QLabel* facts_ = nullptr;
    Bars* bars_ = nullptr;
    QLabel* why_ = nullptr;
    QPushButton* open_ = nullptr;
    QPushButton* folder_ = nullptr;
    QPushButton* prompt_ = nullptr;
    QPushButton* copy_ = nullptr;
};

}  // namespace bifocal::ui
