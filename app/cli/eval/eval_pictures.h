// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "app/cli/eval/candidate_set.h"
#include "core/base/result.h"
#include "core/library/library.h"

#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace bifocal::cli {

/// Every picture of the library, with what the `.txt` beside it says, in path order. A missing
/// description is an empty one. The errors of the library. Threads: value.
Result<std::vector<EvalPicture>> readEvalPictures(const Library& library,
                                                  std::string_view language);

/// The pictures named by a list: one path a line, relative to a collection's root; empty lines are
/// passed by. InvalidArgument for an empty list, NotFound for a line that is no picture of the
/// library. Threads: value.
Result<std::vector<EvalPicture>> picturesOfList(std::span<const EvalPicture> pictures,
                                                std::string_view list);

/// Those for which `text` is not empty. Threads: value.
std::vector<EvalPicture> picturesWith(std::span<const EvalPicture> pictures,
                                      std::string EvalPicture::*text);

}  // namespace bifocal::cli
