// SPDX-License-Identifier: Apache-2.0
#include "app/gui/application.h"
#include "core/imaging/decode.h"
#include "core/inference/torch/torch_packs.h"

#include <QApplication>

#include <cstdio>

#include <unistd.h>

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
    QApplication qt(argc, argv);
    bifocal::app::Application application(qt,
                                          bifocal::app::parseOptions(QApplication::arguments()));
    return application.run();
}
