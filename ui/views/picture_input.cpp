// SPDX-License-Identifier: Apache-2.0
#include "ui/views/picture_input.h"

#include <QCoreApplication>
#include <QFileInfo>
#include <QMimeData>
#include <QUrl>

namespace bifocal::ui {

namespace {

struct PictureInputText {
    Q_DECLARE_TR_FUNCTIONS(bifocal::ui::PictureInput)

public:
    static QString pasted() { return tr("pasted picture"); }
};

std::optional<QString> firstLocalFile(const QMimeData& data) {
    for (const QUrl& url : data.urls()) {
        if (url.isLocalFile()) {
            return url.toLocalFile();
        }
    }
    return std::nullopt;
}

std::optional<QString> encodedFormat(const QMimeData& data) {
    for (const QString& format : data.formats()) {
        if (format.startsWith(QLatin1String("image/"))) {
            return format;
        }
    }
    return std::nullopt;
}

}  // namespace

bool hasPictureInput(const QMimeData& data) {
    return firstLocalFile(data) || encodedFormat(data) || data.hasImage();
}

std::optional<PictureInput> pictureInputOf(const QMimeData& data) {
    PictureInput input;
    if (const auto file = firstLocalFile(data)) {
        const QFileInfo info(*file);
        input.name = info.fileName();
        if (info.isDir()) {
            input.kind = PictureInput::Kind::Folder;
            input.folder = file->toStdString();
        } else {
            input.picture = std::filesystem::path(file->toStdString());
        }
        return input;
    }
    input.name = PictureInputText::pasted();
    if (const auto format = encodedFormat(data)) {
        input.picture = data.data(*format);
        return input;
    }
    if (data.hasImage()) {
        input.picture = qvariant_cast<QImage>(data.imageData());
        return input;
    }
    return std::nullopt;
}

}  // namespace bifocal::ui
