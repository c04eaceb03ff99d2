// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/schedule/policy.h"

namespace bifocal::schedule {

/// InvalidArgument names the first parameter that is out of range, or the shares of
/// static_partition when together they are more than the frame.
Result<void> checkParameters(const PolicyConfig& config);

}  // namespace bifocal::schedule
