// SPDX-License-Identifier: Apache-2.0
#include "ui/bridge/engine_text.h"
#include "ui/models/result_model.h"
#include "ui/models/roles.h"
#include "ui/views/theme.h"

#include <QCoreApplication>
#include <QFile>
#include <QTranslator>
#include <QXmlStreamReader>

#include <gtest/gtest.h>

namespace bifocal::ui {
namespace {

/// Sources of a .ts file whose translation is missing, empty or marked unfinished.
QStringList unfinished(const QString& path) {
    QFile file(path);
    EXPECT_TRUE(file.open(QIODevice::ReadOnly)) << path.toStdString();
    QXmlStreamReader reader(&file);
    QStringList found;
    QString source;
    while (!reader.atEnd()) {
        reader.readNext();
        if (!reader.isStartElement()) {
            continue;
        }
        if (reader.name() == QLatin1String("source")) {
            source = reader.readElementText();
        } else if (reader.name() == QLatin1String("translation")) {
            const bool isOpen = reader.attributes().hasAttribute(QLatin1String("type"));
            const QString text = reader.readElementText(QXmlStreamReader::IncludeChildElements);
            if (isOpen || text.trimmed().isEmpty()) {
                found.append(source);
            }
        }
    }
    EXPECT_FALSE(reader.hasError());
    return found;
}

TEST(TranslationsTest, EveryTextIsTranslated) {
    for (const char* name : {"bifocal_zh_CN.ts", "bifocal_en.ts"}) {
        const QStringList open =
            unfinished(QStringLiteral(BIFOCAL_TRANSLATIONS "/%1").arg(QLatin1String(name)));
        EXPECT_TRUE(open.isEmpty())
            << name << ": " << open.join(QLatin1String(" | ")).toStdString();
    }
}

TEST(TranslationsTest, ChineseIsBuiltInAndUsed) {
    const Theme theme;  // pulls in the library whose resources hold the translations
    QTranslator translator;
    ASSERT_TRUE(translator.load(QStringLiteral(":/i18n/bifocal_zh_CN.qm")));
    QCoreApplication::installTranslator(&translator);
    ResultModel model;
    ResultItem item;
    item.fit = Fit::Strong;
    item.isThisPicture = true;
    model.replace({item});

    EXPECT_EQ(model.index(0).data().toString(), QStringLiteral("就是这张"));
    QCoreApplication::removeTranslator(&translator);
    EXPECT_EQ(model.index(0).data().toString(), QStringLiteral("this picture"));
}

TEST(TranslationsTest, TheEnginesFactsAreSaidInChinese) {
    QTranslator translator;
    ASSERT_TRUE(translator.load(QStringLiteral(":/i18n/bifocal_zh_CN.qm")));
    QCoreApplication::installTranslator(&translator);

    EXPECT_EQ(deviceReasonText({DeviceReason::OnlyCpu, PrecisionReason::Bf16Missing}),
              QStringLiteral("这些模型在 CPU 上运行。此处理器不支持 BF16 运算（AVX-512 BF16）。"));
    EXPECT_EQ(stageText("encode_text"), QStringLiteral("文字编码"));
    EXPECT_EQ(indexingLabel(QStringLiteral("stamps")), QStringLiteral("索引 stamps"));
    QCoreApplication::removeTranslator(&translator);
}

TEST(TranslationsTest, EnglishHasItsPluralForms) {
    QTranslator translator;
    ASSERT_TRUE(translator.load(QStringLiteral(":/i18n/bifocal_en.qm")));
    QCoreApplication::installTranslator(&translator);
    const auto say = [](int count) {
        return QCoreApplication::translate(
            "bifocal::ui::FailureList", "%Ln file(s) could not be read", nullptr, count);
    };

    EXPECT_EQ(say(1), QStringLiteral("1 file could not be read"));
    EXPECT_EQ(say(1200), QStringLiteral("1,200 files could not be read"));
    QCoreApplication::removeTranslator(&translator);
}

}  // namespace
}  // namespace bifocal::ui
