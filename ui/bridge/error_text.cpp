// SPDX-License-Identifier: Apache-2.0
#include "ui/bridge/error_text.h"

#include <QCoreApplication>

namespace bifocal::ui {

namespace {

struct ErrorText {
    Q_DECLARE_TR_FUNCTIONS(bifocal::ui::ErrorText)

public:
    static QString searching(ErrorCode code) {
        switch (code) {
            case ErrorCode::InvalidArgument:
                return tr("There is nothing in this prompt to look for: add a word or a picture.");
            case ErrorCode::Unsupported:
                return tr(
                    "The installed models cannot read this prompt. English words or a picture "
                    "will work.");
            case ErrorCode::NotFound: return tr("The picture of this prompt is no longer there.");
            case ErrorCode::Busy: return tr("Too much is waiting already. Try again in a moment.");
            case ErrorCode::ResourceExhausted:
                return tr("There is not enough memory for this prompt.");
            default: return tr("This search did not work.");
        }
    }

    static QString readingPicture(ErrorCode code) {
        switch (code) {
            case ErrorCode::NotFound: return tr("The picture is no longer there.");
            case ErrorCode::Corruption: return tr("The picture is damaged and cannot be read.");
            case ErrorCode::Unsupported: return tr("This is not a kind of picture Bifocal reads.");
            case ErrorCode::ResourceExhausted: return tr("The picture is too large.");
            default: return tr("The picture could not be read.");
        }
    }

    static QString busy() {
        return tr("Something else is changing this library. This goes on when it is done.");
    }

    static QString addingFolder(ErrorCode code) {
        switch (code) {
            case ErrorCode::NotFound: return tr("There is no such folder.");
            case ErrorCode::Busy: return busy();
            case ErrorCode::AlreadyExists: return tr("This folder is being indexed already.");
            default: return tr("The folder could not be added.");
        }
    }

    static QString indexing(ErrorCode code) {
        switch (code) {
            case ErrorCode::NotFound: return tr("A folder of the library is not there now.");
            case ErrorCode::Busy: return busy();
            case ErrorCode::AlreadyExists: return tr("This folder is being indexed already.");
            case ErrorCode::ResourceExhausted:
                return tr("Indexing stopped: the disk or the memory is full.");
            default: return tr("Indexing stopped before its end.");
        }
    }

    static QString loadingPack(ErrorCode code) {
        switch (code) {
            case ErrorCode::NotFound:
                return tr("The models are not prepared yet, so nothing can be searched.");
            case ErrorCode::Corruption: return tr("The models on this disk are damaged.");
            default: return tr("The models could not be loaded, so nothing can be searched.");
        }
    }

    static QString openingVectors(ErrorCode code) {
        return code == ErrorCode::Corruption
                   ? tr("What was computed from the pictures is damaged, so nothing can be "
                        "searched. The pictures are safe; 'bifocal-cli doctor --repair' helps.")
                   : tr("The library could not be opened for searching.");
    }

    static QString listening(ErrorCode code) {
        switch (code) {
            case ErrorCode::Unsupported:
            case ErrorCode::NotFound:
                return tr(
                    "No recogniser of speech is installed; './run --with-speech' prepares "
                    "one for English.");
            case ErrorCode::Corruption: return tr("The recogniser of speech is damaged.");
            case ErrorCode::Busy: return tr("Too much is waiting already. Try again in a moment.");
            case ErrorCode::ResourceExhausted:
                return tr("There is not enough memory for the recogniser of speech.");
            default: return tr("What was said could not be recognised.");
        }
    }

    static QString sentence(ErrorCode code, Doing doing) {
        switch (doing) {
            case Doing::Searching: return searching(code);
            case Doing::ReadingPicture: return readingPicture(code);
            case Doing::AddingFolder: return addingFolder(code);
            case Doing::Indexing: return indexing(code);
            case Doing::Browsing: return tr("The library could not be read.");
            case Doing::LoadingPack: return loadingPack(code);
            case Doing::OpeningVectors: return openingVectors(code);
            case Doing::Listening: return listening(code);
            case Doing::Exporting: return tr("The trace could not be written.");
        }
        return {};
    }

    static QString reason(ErrorCode code) {
        switch (code) {
            case ErrorCode::NotFound: return tr("it is no longer there");
            case ErrorCode::Corruption: return tr("it is damaged");
            case ErrorCode::Unsupported: return tr("not a kind of picture Bifocal reads");
            case ErrorCode::ResourceExhausted: return tr("it is too large");
            case ErrorCode::InvalidArgument: return tr("it holds no picture");
            default: return tr("it could not be read");
        }
    }

    static QString retry() { return tr("Try again"); }
    static QString chooseFolder() { return tr("Choose a folder…"); }
};

}  // namespace

MessageItem errorText(const Error& error, Doing doing) {
    MessageItem message;
    message.text = ErrorText::sentence(error.code, doing);
    message.detail = QString::fromStdString(error.message);
    if (doing == Doing::AddingFolder && error.code == ErrorCode::NotFound) {
        message.action = MessageItem::Action::ChooseFolder;
        message.actionText = ErrorText::chooseFolder();
    } else if (doing == Doing::Searching &&
               (error.code == ErrorCode::Busy || error.code == ErrorCode::DeviceLost ||
                error.code == ErrorCode::ResourceExhausted)) {
        message.action = MessageItem::Action::Retry;
        message.actionText = ErrorText::retry();
    }
    return message;
}

QString failureReason(ErrorCode code) {
    return ErrorText::reason(code);
}

}  // namespace bifocal::ui
