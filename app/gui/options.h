// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "app/gui/single_instance.h"
#include "ui/views/theme.h"

#include <QString>
#include <QStringList>

#include <filesystem>
#include <optional>
#include <vector>

namespace bifocal::app {

/// What the program was started with. Threads: value.
struct Options {
    std::filesystem::path library;
    std::vector<std::filesystem::path> folders;  ///< added to the library and indexed
    std::filesystem::path packs;
    std::optional<std::filesystem::path> tour;  ///< where the guided tour puts its pictures
    QString language;                           ///< "" is the system's
    ui::Appearance appearance = ui::Appearance::System;
    bool isSelfTest = false;
    /// What is wanted at once, of this program or of the one that has the library open.
    Errand::Kind errand = Errand::Kind::Show;
    int delaySeconds = 0;  ///< before a capture
};

/// Whether the arguments ask for a text alone, for which no screen is needed.
bool asksForTextOnly(int argc, char** argv);

/// Reads the arguments. --help and --version print and end the program, as wrong ones do with 2.
/// Requires: the application object.
Options parseOptions(const QStringList& arguments);

}  // namespace bifocal::app
