// SPDX-License-Identifier: Apache-2.0
#include "tests/app/cli/processes_fixture.h"

namespace bifocal::test {
namespace {

TEST_F(CliCrashTest, TwentyKillsLoseNothing) {
    killAndRecover(20, 240);
}

}  // namespace
}  // namespace bifocal::test
