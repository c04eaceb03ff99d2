// SPDX-License-Identifier: Apache-2.0
#include "app/gui/options.h"

#include "core/base/files.h"

#include <QCommandLineParser>
#include <QFile>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <string_view>
#include <utility>

namespace bifocal::app {

namespace {

constexpr int kExitUsage = 2;

[[noreturn]] void refuse(const QString& sentence) {
    std::fprintf(stderr, "bifocal: %s\n", sentence.toUtf8().constData());
    std::exit(kExitUsage);  // NOLINT(concurrency-mt-unsafe): no other thread runs yet
}

std::filesystem::path toPath(const QString& text) {
    return QFile::encodeName(text).toStdString();
}

ui::Appearance toAppearance(const QString& name) {
    if (name == QLatin1String("dark")) {
        return ui::Appearance::Dark;
    }
    if (name == QLatin1String("light")) {
        return ui::Appearance::Light;
    }
    if (name != QLatin1String("system")) {
        refuse(QStringLiteral("--theme %1: dark, light or system").arg(name));
    }
    return ui::Appearance::System;
}

int toDelay(const QString& text) {
    constexpr int kLongest = 60;
    bool isNumber = false;
    const int seconds = text.toInt(&isNumber);
    if (!isNumber || seconds < 0 || seconds > kLongest) {
        refuse(QStringLiteral("--delay %1: 0 to %2 seconds").arg(text).arg(kLongest));
    }
    return seconds;
}

Errand::Kind errandOf(const QCommandLineParser& parser,
                      const QList<std::pair<QCommandLineOption, Errand::Kind>>& choices) {
    Errand::Kind errand = Errand::Kind::Show;
    for (const auto& [option, kind] : choices) {
        if (!parser.isSet(option)) {
            continue;
        }
        if (errand != Errand::Kind::Show) {
            refuse(QStringLiteral("--%1: one thing at a time").arg(option.names().first()));
        }
        errand = kind;
    }
    return errand;
}

}  // namespace

bool asksForTextOnly(int argc, char** argv) {
    return std::any_of(argv + 1, argv + argc, [](const char* word) {
        const std::string_view text(word);
        return text == "--help" || text == "-h" || text == "--version" || text == "-v";
    });
}

Options parseOptions(const QStringList& arguments) {
    QCommandLineParser parser;
    parser.setApplicationDescription(
        QStringLiteral("Finds pictures by what they look like and by what words say."));
    const QCommandLineOption help = parser.addHelpOption();
    const QCommandLineOption version = parser.addVersionOption();
    const QCommandLineOption library(QStringLiteral("library"),
                                     QStringLiteral("The library's folder; made when missing."),
                                     QStringLiteral("folder"));
    const QCommandLineOption index(QStringLiteral("index"),
                                   QStringLiteral("Add this folder and index it; repeatable."),
                                   QStringLiteral("folder"));
    const QCommandLineOption packs(QStringLiteral("packs"),
                                   QStringLiteral("Where the model packs are."),
                                   QStringLiteral("folder"));
    const QCommandLineOption tour(
        QStringLiteral("tour"),
        QStringLiteral("Show everything once, print the answers, write numbered pictures, end."),
        QStringLiteral("folder"));
    const QCommandLineOption language(QStringLiteral("language"),
                                      QStringLiteral("en or zh_CN; the system's by default."),
                                      QStringLiteral("language"));
    const QCommandLineOption theme(QStringLiteral("theme"),
                                   QStringLiteral("dark, light or system."),
                                   QStringLiteral("theme"),
                                   QStringLiteral("system"));
    const QCommandLineOption selfTest(
        QStringLiteral("self-test"),
        QStringLiteral("Make the window on an empty library, show it, end with 0."));
    const QCommandLineOption capture(
        QStringLiteral("capture"),
        QStringLiteral("Search with a part of the screen: asks the window that is open, if one is. "
                       "For a key of the window manager."));
    const QCommandLineOption captureScreen(QStringLiteral("capture-screen"),
                                           QStringLiteral("The same with the whole screen."));
    const QCommandLineOption captureAgain(QStringLiteral("capture-again"),
                                          QStringLiteral("The same with the last region."));
    const QCommandLineOption sayAndPoint(
        QStringLiteral("say-and-point"),
        QStringLiteral("The same with a part of the screen and spoken words."));
    const QCommandLineOption delay(QStringLiteral("delay"),
                                   QStringLiteral("Wait so long before the screen is captured."),
                                   QStringLiteral("seconds"),
                                   QStringLiteral("0"));
    parser.addOptions({library,
                       index,
                       packs,
                       tour,
                       language,
                       theme,
                       selfTest,
                       capture,
                       captureScreen,
                       captureAgain,
                       sayAndPoint,
                       delay});
    if (!parser.parse(arguments)) {
        refuse(parser.errorText());
    }
    if (parser.isSet(help) || parser.isSet(QStringLiteral("help-all"))) {
        parser.showHelp();
    }
    if (parser.isSet(version)) {
        parser.showVersion();
    }
    if (!parser.positionalArguments().isEmpty()) {
        refuse(QStringLiteral("%1: not understood; --help lists the options")
                   .arg(parser.positionalArguments().first()));
    }

    Options options;
    options.library =
        parser.isSet(library) ? toPath(parser.value(library)) : dataHome() / "library";
    for (const QString& folder : parser.values(index)) {
        options.folders.push_back(toPath(folder));
    }
    const QString fromEnvironment = qEnvironmentVariable("BIFOCAL_PACKS");
    options.packs = parser.isSet(packs)          ? toPath(parser.value(packs))
                    : !fromEnvironment.isEmpty() ? toPath(fromEnvironment)
                                                 : dataHome() / "packs";
    if (parser.isSet(tour)) {
        options.tour = toPath(parser.value(tour));
    }
    options.language = parser.value(language);
    options.appearance = toAppearance(parser.value(theme));
    options.isSelfTest = parser.isSet(selfTest);
    options.errand = errandOf(parser,
                              {{capture, Errand::Kind::Capture},
                               {captureScreen, Errand::Kind::CaptureScreen},
                               {captureAgain, Errand::Kind::CaptureAgain},
                               {sayAndPoint, Errand::Kind::SayAndPoint}});
    options.delaySeconds = toDelay(parser.value(delay));
    return options;
}

}  // namespace bifocal::app
