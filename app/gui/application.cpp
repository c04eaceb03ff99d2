// SPDX-License-Identifier: Apache-2.0
#include "app/gui/application.h"

#include "app/gui/tour.h"
#include "core/base/files.h"
#include "core/inference/torch/torch_packs.h"

#include <QApplication>
#include <QLocale>
#include <QTimer>

#include <algorithm>
#include <cstdio>
#include <thread>
#include <utility>

namespace bifocal::app {

namespace {

constexpr std::uint32_t kMostBatchWorkers = 8;

QString toQString(const std::filesystem::path& path) {
    return ui::textOf(path);
}

}  // namespace

Application::Application(QApplication& qt, Options options)
    : qt_(qt), options_(std::move(options)) {}

Application::~Application() = default;

int Application::run() {
    loadTranslation();
    theme_.apply(qt_, options_.appearance);
    const bool leavesTraces = !options_.tour && !options_.isSelfTest;
    if (leavesTraces) {
        settings_ = std::make_unique<QSettings>(toQString(configHome() / "window.ini"),
                                                QSettings::IniFormat);
    }
    if (const Result<void> opened = openEngine(); !opened) {
        std::fprintf(stderr, "bifocal: %s\n", opened.error().message.c_str());
        return 1;
    }
    session_ = std::make_unique<ui::Session>(*engine_);
    showWindow();
    return QApplication::exec();
}

void Application::loadTranslation() {
    const QLocale locale =
        options_.language.isEmpty() ? QLocale::system() : QLocale(options_.language);
    // English too: its file holds the plural forms.
    const bool isLoaded = translator_.load(
        locale, QStringLiteral("bifocal"), QStringLiteral("_"), QStringLiteral(":/i18n"));
    if (isLoaded || translator_.load(QStringLiteral(":/i18n/bifocal_en.qm"))) {
        QApplication::installTranslator(&translator_);
    }
    if (!options_.language.isEmpty()) {
        QLocale::setDefault(locale);
    }
}

Result<void> Application::openEngine() {
    EngineConfig config;
    config.library = options_.library;
    config.cache = cacheHome();
    if (options_.isSelfTest) {
        scratch_ = std::make_unique<QTemporaryDir>();
        config.library = (scratch_->path() + QStringLiteral("/library")).toStdString();
        config.cache = (scratch_->path() + QStringLiteral("/cache")).toStdString();
    }
    config.packFolder = options_.packs / "starter";
    config.speechFolder = options_.packs / "whisper-tiny-en";
    config.batchWorkerCount =
        std::clamp(std::thread::hardware_concurrency(), 1U, kMostBatchWorkers);
    EngineParts parts;
    parts.loadPack = [](const std::filesystem::path& folder) {
        return torch_backend::loadPack(folder);
    };
    parts.loadSpeech = [](const std::filesystem::path& folder) {
        return torch_backend::loadSpeech(folder);
    };
    parts.allocatorBytes = torch_backend::allocatedBytes;
    BIFOCAL_TRY(engine_, Engine::open(std::move(config), std::move(parts)));
    return {};
}

void Application::showWindow() {
    window_ = std::make_unique<ui::MainWindow>(*session_, theme_, settings_.get());
    if (options_.tour) {
        stalls_ = std::make_unique<ui::StallMonitor>();
        tour_ = std::make_unique<Tour>(*window_, *session_, *stalls_, *options_.tour);
    }
    window_->show();
    session_->start();
    indexFolders();
    if (options_.isSelfTest) {
        QTimer::singleShot(0, window_.get(), [this] { endSelfTest(); });
    } else if (tour_) {
        tour_->begin();
    }
}

void Application::indexFolders() {
    for (const std::filesystem::path& folder : options_.folders) {
        session_->bridge().addFolder(folder);
    }
}

void Application::endSelfTest() {
    const bool isShown = window_->isVisible() && !window_->grab().isNull();
    std::printf("self-test: window %s\n", isShown ? "shown" : "not shown");
    QApplication::exit(isShown ? 0 : 1);
}

}  // namespace bifocal::app
