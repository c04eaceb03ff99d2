// SPDX-License-Identifier: Apache-2.0
#include "app/gui/application.h"

#include "app/gui/tour.h"
#include "core/base/files.h"
#include "core/inference/torch/torch_packs.h"
#include "ui/views/capture.h"
#include "ui/views/say_and_point.h"

#include <QApplication>
#include <QFile>
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
    const bool leavesTraces = !options_.tour && !options_.isSelfTest;
    if (leavesTraces) {
        instance_ = std::make_unique<SingleInstance>(options_.library);
        switch (instance_->handOver(wanted())) {
            case SingleInstance::Answer::Taken: return 0;
            case SingleInstance::Answer::Silence:
                std::fputs("bifocal: the window that shows this library does not answer\n", stderr);
                return 1;
            case SingleInstance::Answer::Nobody: break;
        }
        instance_->listen();  // without it the next one opens a window of its own
    }
    loadTranslation();
    theme_.apply(qt_, options_.appearance);
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
    if (settings_) {
        presence_ =
            std::make_unique<ui::DesktopPresence>(*window_, ui::makeGlobalKeys(), *settings_);
    } else {
        QObject::connect(
            window_.get(), &ui::MainWindow::quitWanted, window_.get(), &QWidget::close);
    }
    window_->show();
    session_->start();
    if (instance_) {
        QObject::connect(
            instance_.get(), &SingleInstance::called, window_.get(), [this](const Errand& errand) {
                run(errand);
            });
    }
    run(wanted());
    if (options_.isSelfTest) {
        QTimer::singleShot(0, window_.get(), [this] { endSelfTest(); });
    } else if (tour_) {
        tour_->begin();
    }
}

Errand Application::wanted() const {
    Errand errand;
    errand.kind = options_.errand;
    errand.delaySeconds = options_.delaySeconds;
    for (const std::filesystem::path& folder : options_.folders) {
        errand.folders.append(QFile::decodeName(
            QByteArray::fromStdString(std::filesystem::absolute(folder).string())));
    }
    return errand;
}

void Application::run(const Errand& errand) {
    for (const QString& folder : errand.folders) {
        session_->bridge().addFolder(QFile::encodeName(folder).toStdString());
    }
    ui::Capture& capture = window_->capture();
    const std::chrono::seconds delay(errand.delaySeconds);
    switch (errand.kind) {
        case Errand::Kind::Show: window_->comeForward(); break;
        case Errand::Kind::Capture: capture.begin(ui::Capture::What::Region, delay); break;
        case Errand::Kind::CaptureScreen: capture.begin(ui::Capture::What::Screen, delay); break;
        case Errand::Kind::CaptureAgain: capture.begin(ui::Capture::What::LastRegion, delay); break;
        case Errand::Kind::SayAndPoint:
            window_->sayAndPoint().begin(ui::SayAndPoint::Ending::ByPause);
            break;
    }
}

void Application::endSelfTest() {
    const bool isShown = window_->isVisible() && !window_->grab().isNull();
    std::printf("self-test: window %s\n", isShown ? "shown" : "not shown");
    QApplication::exit(isShown ? 0 : 1);
}

}  // namespace bifocal::app
