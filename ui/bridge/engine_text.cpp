// SPDX-License-Identifier: Apache-2.0
#include "ui/bridge/engine_text.h"

#include <QCoreApplication>

#include <algorithm>
#include <iterator>
#include <string_view>

namespace bifocal::ui {

namespace {

struct EngineText {
    Q_DECLARE_TR_FUNCTIONS(bifocal::ui::EngineText)

public:
    static QString sentence(DeviceReason reason) {
        switch (reason) {
            case DeviceReason::OnlyCpu: return tr("These models run on the CPU.");
            case DeviceReason::NoGpuFound: return tr("No CUDA device was found.");
        }
        return {};
    }

    static QString sentence(PrecisionReason reason) {
        switch (reason) {
            case PrecisionReason::AskedFor: return tr("This precision was asked for.");
            case PrecisionReason::Bf16Native:
                return tr("This processor computes in BF16 (AVX-512 BF16).");
            case PrecisionReason::Bf16Missing:
                return tr("This processor lacks BF16 (AVX-512 BF16).");
        }
        return {};
    }

    static QString joined(const QString& first, const QString& second) {
        //: two sentences, one after the other
        return tr("%1 %2").arg(first, second);
    }

    static QString picture() { return tr("picture"); }
    static QString pictureAnd(const QString& words) { return tr("picture + %1").arg(words); }
    static QString quoted(const QString& words) { return tr("“%1”").arg(words); }
    static QString indexing(const QString& folder) { return tr("index %1").arg(folder); }

    struct Stage {
        std::string_view name;
        const char* text;
    };
    static constexpr Stage kStages[] = {
        {"encode_text", QT_TR_NOOP("encode text")},
        {"encode_image", QT_TR_NOOP("encode image")},
        {"decode", QT_TR_NOOP("decode")},
        {"fuse", QT_TR_NOOP("fuse")},
        {"search", QT_TR_NOOP("search")},
        {"search_partial", QT_TR_NOOP("search partial")},
        {"walk", QT_TR_NOOP("walk")},
        {"prepare", QT_TR_NOOP("prepare")},
        {"commit", QT_TR_NOOP("commit")},
    };

    static QString stage(std::string_view name) {
        const auto* found = std::find_if(std::begin(kStages),
                                         std::end(kStages),
                                         [&](const Stage& known) { return known.name == name; });
        return found == std::end(kStages)
                   ? QString::fromUtf8(name.data(), static_cast<qsizetype>(name.size()))
                         .replace(QLatin1Char('_'), QLatin1Char(' '))
                   : tr(found->text);
    }
};

}  // namespace

QString deviceReasonText(const DeviceFacts& facts) {
    return EngineText::joined(EngineText::sentence(facts.device),
                              EngineText::sentence(facts.precision));
}

QString promptLabel(const PromptDraft& draft) {
    const QString words = draft.text.simplified();
    if (words.isEmpty()) {
        return EngineText::picture();
    }
    const QString quoted = EngineText::quoted(words);
    return draft.picture ? EngineText::pictureAnd(quoted) : quoted;
}

QString indexingLabel(const QString& folder) {
    return EngineText::indexing(folder);
}

QString stageText(const char* stage) {
    return EngineText::stage(stage);
}

}  // namespace bifocal::ui
