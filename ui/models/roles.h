// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <QtCore/qnamespace.h>

/// Every role of every model of ours. Qt::DisplayRole is the name, Qt::ToolTipRole a sentence.
namespace bifocal::ui {

enum Role : int {
    // Results
    PathRole = Qt::UserRole + 1,  ///< QString, for people
    ThumbnailRole,                ///< QImage; invalid: not yet (asked for by being read)
    ThumbnailFailedRole,          ///< bool
    FitRole,                      ///< int(Fit)
    FitTextRole,                  ///< "strong", "fair", "weak"
    WordsRole,                    ///< double, contribution to the score
    LooksRole,                    ///< double
    WordsShareRole,               ///< double 0…1 of the bar; 1 is the best row of the answer
    LooksShareRole,               ///< double 0…1
    ThisPictureRole,              ///< bool
    DateTextRole,                 ///< QString, short local date

    // Collections
    CollectionIdRole,  ///< qulonglong
    CountRole,         ///< qulonglong
    FailureCountRole,  ///< qulonglong
    ScanStateRole,     ///< int(ScanState)
    ProgressRole,      ///< double 0…1; invalid when nothing runs
    ProgressTextRole,  ///< "509 of 796 · 41/s · 7 s left"

    // Failures
    ReasonRole,  ///< QString
    DetailRole,  ///< QString

    // Requests
    RequestIdRole,     ///< qulonglong
    ClassTextRole,     ///< "interactive", "superseded", …
    TotalMsRole,       ///< double
    RequestClassRole,  ///< int(RequestClass)

    // Messages
    ActionRole,      ///< int(MessageItem::Action)
    ActionTextRole,  ///< QString
};

}  // namespace bifocal::ui
