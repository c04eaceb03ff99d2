// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "app/cli/lab/lab_options.h"

namespace bifocal::cli {

/// The device that `lab` calls measured: this machine's processor with the pack of --pack, one
/// thread. Runs of 1, 2, 4 and 8 pictures, and single texts, are timed when the meter is asked
/// (about three seconds); α and β are the least squares of the medians. Errors of loading the pack.
DeviceMeter measuringMeter(const Arguments& arguments);

}  // namespace bifocal::cli
