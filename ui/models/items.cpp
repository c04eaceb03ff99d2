// SPDX-License-Identifier: Apache-2.0
#include "ui/models/items.h"

#include <QFile>

namespace bifocal::ui {

QString nameOf(const std::filesystem::path& path) {
    const std::filesystem::path name = path.filename();
    return textOf(name.empty() ? path : name);
}

QString textOf(const std::filesystem::path& path) {
    return QFile::decodeName(QByteArray::fromStdString(path.string()));
}

}  // namespace bifocal::ui
