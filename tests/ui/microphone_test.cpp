// SPDX-License-Identifier: Apache-2.0
// Runs beside a sound server of its own: see sound_server.sh.
#include "ui/views/microphone.h"

#include <QApplication>
#include <QFile>
#include <QProcess>
#include <QSignalSpy>
#include <QTemporaryDir>
#include <QTest>

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <numbers>
#include <numeric>
#include <vector>

namespace bifocal::ui {
namespace {

constexpr double kTone = 440;  // Hz
constexpr int kRate = 16'000;  // of the microphone and of what is played

QByteArray run(const QString& program, const QStringList& arguments) {
    QProcess process;
    process.start(program, arguments);
    EXPECT_TRUE(process.waitForFinished());
    EXPECT_EQ(process.exitCode(), 0) << process.readAllStandardError().toStdString();
    return process.readAllStandardOutput().trimmed();
}

/// The number by which it is unplugged.
QString plugIn() {
    const QString module =
        QString::fromLatin1(run(QStringLiteral("pactl"),
                                {QStringLiteral("load-module"),
                                 QStringLiteral("module-remap-source"),
                                 QStringLiteral("source_name=spoken"),
                                 QStringLiteral("master=played.monitor"),
                                 QStringLiteral("channels=2"),
                                 QStringLiteral("master_channel_map=front-left,front-right")}));
    run(QStringLiteral("pactl"), {QStringLiteral("set-default-source"), QStringLiteral("spoken")});
    // Qt hears of it when it can.
    EXPECT_TRUE(QTest::qWaitFor([] { return Microphone::devices().size() == 1; }));
    return module;
}

void unplug(const QString& module) {
    run(QStringLiteral("pactl"), {QStringLiteral("unload-module"), module});
}

class MicrophoneTest : public testing::Test {
protected:
    void SetUp() override {
        QObject::connect(&microphone_,
                         &Microphone::heard,
                         &microphone_,
                         [this](const std::vector<float>& samples) {
                             samples_.insert(samples_.end(), samples.begin(), samples.end());
                         });
    }

    /// Plays two seconds of a tone into what the microphone hears; ends when it was played.
    void playTone() {
        QByteArray sound(2 * kRate * 2, '\0');
        for (int i = 0; i < 2 * kRate; ++i) {
            const double phase = 2 * std::numbers::pi * kTone * i / kRate;
            const auto value = static_cast<qint16>(16'384 * std::sin(phase));
            std::memcpy(sound.data() + 2 * i, &value, sizeof(value));
        }
        QFile file(folder_.filePath(QStringLiteral("tone")));
        ASSERT_TRUE(file.open(QIODevice::WriteOnly));
        file.write(sound);
        file.close();
        QProcess player;
        player.start(QStringLiteral("pacat"),
                     {QStringLiteral("--device=played"),
                      QStringLiteral("--format=s16le"),
                      QStringLiteral("--rate=%1").arg(kRate),
                      QStringLiteral("--channels=1"),
                      file.fileName()});
        ASSERT_TRUE(
            QTest::qWaitFor([&] { return player.state() == QProcess::NotRunning; }, 10'000));
    }
    double loudest() const {
        return std::accumulate(
            samples_.begin(), samples_.end(), 0.0, [](double most, float sample) {
                return std::max(most, std::abs(double{sample}));
            });
    }

    QTemporaryDir folder_;
    Microphone microphone_;
    QSignalSpy failed_{&microphone_, &Microphone::failed};
    std::vector<float> samples_;
};

TEST_F(MicrophoneTest, WhatIsPlayedIsHeardAtTheRateOfTheRecogniser) {
    const QString module = plugIn();
    microphone_.start();
    playTone();
    microphone_.stop();
    EXPECT_TRUE(failed_.isEmpty());
    EXPECT_NEAR(loudest(), 0.5, 0.1);
    // Twice a period it crosses zero; only the time with sound counts.
    int crossings = 0;
    int loud = 0;
    for (std::size_t i = 1; i < samples_.size(); ++i) {
        crossings += (samples_[i - 1] < 0) != (samples_[i] < 0) ? 1 : 0;
        loud += std::abs(samples_[i]) > 0.01F ? 1 : 0;
    }
    ASSERT_GT(loud, kRate);
    EXPECT_NEAR(crossings * static_cast<double>(kRate) / loud / 2, kTone, 0.05 * kTone);
    unplug(module);
}

TEST_F(MicrophoneTest, NothingIsOpenBeforeAndAfter) {
    const QString module = plugIn();
    const auto listeners = [] {
        return run(
            QStringLiteral("pactl"),
            {QStringLiteral("list"), QStringLiteral("short"), QStringLiteral("source-outputs")});
    };
    const QByteArray before = listeners();
    microphone_.start();
    EXPECT_TRUE(QTest::qWaitFor([&] { return listeners() != before; }));
    microphone_.stop();
    EXPECT_TRUE(QTest::qWaitFor([&] { return listeners() == before; }));
    unplug(module);
}

TEST_F(MicrophoneTest, UnpluggedInTheMiddleItIsToldOnceAndWorksWhenItIsBack) {
    QString module = plugIn();
    microphone_.start();
    ASSERT_TRUE(QTest::qWaitFor([this] { return !samples_.empty(); }));
    unplug(module);
    ASSERT_TRUE(QTest::qWaitFor([this] { return !failed_.isEmpty(); }));
    QTest::qWait(200);
    ASSERT_EQ(failed_.count(), 1);
    EXPECT_EQ(failed_[0][0].value<SoundFault>(), SoundFault::Lost);

    module = plugIn();
    samples_.clear();
    microphone_.start();
    EXPECT_TRUE(QTest::qWaitFor([this] { return !samples_.empty(); }));
    microphone_.stop();
    unplug(module);
}

TEST_F(MicrophoneTest, WithoutAMicrophoneItSaysSo) {
    EXPECT_TRUE(QTest::qWaitFor([] { return Microphone::devices().isEmpty(); }));
    microphone_.start();
    ASSERT_EQ(failed_.count(), 1);
    EXPECT_EQ(failed_[0][0].value<SoundFault>(), SoundFault::NoMicrophone);
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
