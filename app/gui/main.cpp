// SPDX-License-Identifier: Apache-2.0
#include "app/gui/application.h"
#include "core/imaging/decode.h"
#include "core/inference/torch/torch_packs.h"

#include <QApplication>

#include <cstdio>
#include <cstdlib>
#include <cstring>

#include <unistd.h>

namespace {

/// Qt ends the program when it cannot show windows; what it says is of its plugins.
void sayThatThereIsNoDisplay(QtMsgType type,
                             const QMessageLogContext& context,
                             const QString& message) {
    const char* const category = context.category != nullptr ? context.category : "";
    if (type == QtFatalMsg) {
        std::fputs(
            "bifocal: there is no display to show a window on (DISPLAY and WAYLAND_DISPLAY name "
            "one).\nWithout one: bifocal-cli; or ./run --tour, which brings its own.\n",
            stderr);
        std::_Exit(1);
    }
    if (std::strncmp(category, "qt.qpa", std::strlen("qt.qpa")) != 0) {
        std::fprintf(stderr, "%s\n", message.toLocal8Bit().constData());
    }
}

}  // namespace

int main(int argc, char** argv) {
    if (!bifocal::torch_backend::environmentIsReady()) {
        // libgomp reads its environment when it is loaded, before main(): start over, once.
        ::execv("/proc/self/exe", argv);
        std::perror("bifocal: cannot start over");
        return 1;
    }
    if (const auto ready = bifocal::imaging::initialize(argv[0]); !ready) {
        std::fprintf(stderr, "bifocal: %s\n", ready.error().message.c_str());
        return 1;
    }
    QApplication::setApplicationName(QStringLiteral("Bifocal"));
    QApplication::setApplicationVersion(QStringLiteral(BIFOCAL_VERSION));
    QApplication::setDesktopFileName(QStringLiteral("bifocal"));
    if (bifocal::app::asksForTextOnly(argc, argv)) {
        const QCoreApplication plain(argc, argv);  // --version works without a screen
        bifocal::app::parseOptions(QCoreApplication::arguments());
    }
    const QtMessageHandler usual = qInstallMessageHandler(sayThatThereIsNoDisplay);
    QApplication qt(argc, argv);
    qInstallMessageHandler(usual);
    bifocal::app::Application application(qt,
                                          bifocal::app::parseOptions(QApplication::arguments()));
    return application.run();
}
