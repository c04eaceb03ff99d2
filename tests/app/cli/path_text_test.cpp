// SPDX-License-Identifier: Apache-2.0
#include "app/cli/path_text.h"

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

namespace bifocal::cli {
namespace {

TEST(PathTextTest, KeepsAPathOnItsLine) {
    EXPECT_EQ(printable("/a/red flower \u82b1.png"), "/a/red flower \u82b1.png");
    EXPECT_EQ(printable("two\nlines\tand \x1b[31mred\x7f.png"),
              "two\\nlines\\tand \\x1B[31mred\\x7F.png");
    EXPECT_EQ(printable("\u009b31m.png"),
              "\\xC2\x9B"
              "31m.png");
}

TEST(PathTextTest, GivesTheExactBytesOfANameThatIsNoText) {
    nlohmann::json plain;
    nlohmann::json odd;

    putPath(plain, "/a b/\u82b1.png");
    putPath(odd, "/a b/caf\xe9%.png");

    EXPECT_EQ(plain, (nlohmann::json{{"path", "/a b/\u82b1.png"}}));
    EXPECT_EQ(odd["uri"], "file:///a%20b/caf%E9%25.png");
}

}  // namespace
}  // namespace bifocal::cli
