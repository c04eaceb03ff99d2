// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/base/result.h"

#include <string>

namespace bifocal::imaging::detail {

/// Takes libvips' error text as one line and sorts it: Unsupported, ResourceExhausted, else
/// `otherwise`. The buffer is one for the process, so when two pictures fail at the same moment one
/// message may hold both reasons and the other one only `context`.
Error takeVipsError(ErrorCode otherwise, const std::string& context);

}  // namespace bifocal::imaging::detail
