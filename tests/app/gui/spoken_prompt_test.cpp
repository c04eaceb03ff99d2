// SPDX-License-Identifier: Apache-2.0
// From the sound of a sentence to its words: a sound server of its own (tests/ui/sound_server.sh),
// the real microphone, engine and recogniser.
#include "core/base/files.h"
#include "core/engine/engine.h"
#include "core/inference/torch/torch_packs.h"
#include "ui/bridge/dictation.h"
#include "ui/bridge/engine_bridge.h"
#include "ui/views/microphone.h"

#include <QApplication>
#include <QElapsedTimer>
#include <QFile>
#include <QProcess>
#include <QSignalSpy>
#include <QTemporaryDir>
#include <QTest>

#include <gtest/gtest.h>

#include <cstdio>
#include <cstdlib>
#include <memory>
#include <random>

namespace bifocal::ui {
namespace {

void run(const QString& program, const QStringList& arguments) {
    QProcess process;
    process.start(program, arguments);
    ASSERT_TRUE(process.waitForFinished());
    ASSERT_EQ(process.exitCode(), 0) << process.readAllStandardError().toStdString();
}

class SpokenPromptTest : public testing::Test {
protected:
    void SetUp() override {
        run(QStringLiteral("pactl"),
            {QStringLiteral("load-module"),
             QStringLiteral("module-remap-source"),
             QStringLiteral("source_name=spoken"),
             QStringLiteral("master=played.monitor"),
             QStringLiteral("channels=2"),
             QStringLiteral("master_channel_map=front-left,front-right")});
        run(QStringLiteral("pactl"),
            {QStringLiteral("set-default-source"), QStringLiteral("spoken")});
        const char* const promised = std::getenv("BIFOCAL_PACKS");
        const std::filesystem::path packs =
            promised != nullptr ? std::filesystem::path(promised) : dataHome() / "packs";
        EngineConfig config;
        config.library = folder_.filePath(QStringLiteral("library")).toStdString();
        config.cache = folder_.filePath(QStringLiteral("cache")).toStdString();
        config.packFolder = packs / "starter";
        config.speechFolder = packs / "whisper-tiny-en";
        EngineParts parts;
        parts.loadPack = [](const auto& place) { return torch_backend::loadPack(place); };
        parts.loadSpeech = [](const auto& place) { return torch_backend::loadSpeech(place); };
        auto engine = Engine::open(config, parts);
        ASSERT_TRUE(engine) << engine.error().message;
        engine_ = *std::move(engine);
        ASSERT_TRUE(engine_->canHear()) << "./run --with-speech prepares the recogniser";
        bridge_ = std::make_unique<EngineBridge>(*engine_);
        dictation_ = std::make_unique<Dictation>(*bridge_, std::make_unique<Microphone>());
    }

    /// A sound file in which somebody says `sentence`.
    QString speak(const QString& sentence) {
        const QString file = folder_.filePath(QStringLiteral("spoken.wav"));
        run(QStringLiteral("flite"),
            {QStringLiteral("-voice"),
             QStringLiteral("slt"),
             QStringLiteral("-t"),
             sentence,
             QStringLiteral("-o"),
             file});
        return file;
    }
    /// Plays a file, then returns; what is heard is listened to meanwhile.
    static void play(const QString& file, const QStringList& format = {}) {
        QProcess player;
        player.start(QStringLiteral("paplay"),
                     QStringList{QStringLiteral("--device=played")} + format + QStringList{file});
        ASSERT_TRUE(
            QTest::qWaitFor([&] { return player.state() == QProcess::NotRunning; }, 60'000));
        ASSERT_EQ(player.exitCode(), 0) << player.readAllStandardError().toStdString();
    }

    QTemporaryDir folder_;
    std::unique_ptr<Engine> engine_;
    std::unique_ptr<EngineBridge> bridge_;
    std::unique_ptr<Dictation> dictation_;
};

TEST_F(SpokenPromptTest, ASentenceBecomesItsWordsSoonAfterItsEnd) {
    const QString file = speak(QStringLiteral("two children with a yellow dog at the lake"));
    QSignalSpy recognized(dictation_.get(), &Dictation::recognized);
    QSignalSpy partial(dictation_.get(), &Dictation::heardSoFar);
    for (int round = 0; round < 3; ++round) {  // the first one loads the recogniser
        recognized.clear();
        dictation_->begin(Dictation::Ending::BySilence);
        play(file);
        QElapsedTimer clock;
        clock.start();
        ASSERT_TRUE(recognized.count() > 0 || recognized.wait(20'000));
        std::printf("words %lld ms after the end of the sound\n",
                    static_cast<long long>(clock.elapsed()));
        const QString words = recognized[0][0].toString().toLower();
        for (const char* word : {"children", "yellow", "dog", "lake"}) {
            EXPECT_TRUE(words.contains(QLatin1String(word))) << words.toStdString();
        }
    }
    EXPECT_GT(partial.count(), 0);
}

TEST_F(SpokenPromptTest, NoiseAndSilenceSayNothing) {
    std::mt19937 random(5);
    for (const int loudness : {0, 30, 300, 3000}) {
        std::normal_distribution<float> normal(0, static_cast<float>(loudness));
        QByteArray sound;
        for (int i = 0; i < 16'000 * 9; ++i) {
            const auto value = static_cast<qint16>(loudness == 0 ? 0 : normal(random));
            sound.append(reinterpret_cast<const char*>(&value), sizeof(value));
        }
        QFile file(folder_.filePath(QStringLiteral("noise")));
        ASSERT_TRUE(file.open(QIODevice::WriteOnly));
        file.write(sound);
        file.close();
        QSignalSpy recognized(dictation_.get(), &Dictation::recognized);
        QSignalSpy failed(dictation_.get(), &Dictation::failed);
        dictation_->begin(Dictation::Ending::BySilence);
        play(file.fileName(),
             {QStringLiteral("--raw"),
              QStringLiteral("--format=s16le"),
              QStringLiteral("--rate=16000"),
              QStringLiteral("--channels=1")});
        EXPECT_TRUE(failed.count() > 0 || failed.wait(10'000)) << loudness;
        EXPECT_EQ(recognized.count(), 0) << loudness;
    }
}

}  // namespace
}  // namespace bifocal::ui

/// Qt 6.4's sound back end now and then crashes when the process ends; by then the tests are over.
int main(int argc, char** argv) {
    ::testing::InitGoogleTest(&argc, argv);
    QApplication application(argc, argv);
    const int result = RUN_ALL_TESTS();
    std::fflush(nullptr);
    std::_Exit(result);
}
