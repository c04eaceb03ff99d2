// SPDX-License-Identifier: Apache-2.0
#include "kernels/internal/isa.h"

#include "kernels/internal/dot_top_k_on.h"
#include "kernels/internal/resample.h"

#include <gtest/gtest.h>

#include <array>
#include <cstdlib>
#include <string>

namespace bifocal::kernels {
namespace {

TEST(Isa, ValueOfTheVariableNamesAPath) {
    EXPECT_EQ(isaFor(nullptr, Isa::Avx2), Isa::Avx2);
    EXPECT_EQ(isaFor("portable", Isa::Avx512), Isa::Portable);
    EXPECT_EQ(isaFor("avx2", Isa::Avx512), Isa::Avx2);
    EXPECT_EQ(isaFor("avx512", Isa::Avx512), Isa::Avx512);
    EXPECT_EQ(isaFor("avx512", Isa::Avx2), Isa::Avx2);
    EXPECT_EQ(isaFor("avx2", Isa::Portable), Isa::Portable);
    EXPECT_EQ(isaFor("AVX2 ", Isa::Avx512), Isa::Avx512);
    EXPECT_EQ(isaFor("", Isa::Avx2), Isa::Avx2);
}

TEST(Isa, FollowsTheEnvironment) {
    const char* value = std::getenv("BIFOCAL_KERNEL_ISA");  // NOLINT(concurrency-mt-unsafe)
    EXPECT_EQ(activeIsa(), isaFor(value, bestIsa()));
    if (value != nullptr && isaFor(value, Isa::Avx512) <= bestIsa()) {
        EXPECT_EQ(std::string(toString(activeIsa())), value);
    }
}

TEST(Isa, APathWorksOrIsUnsupported) {
    const std::array<std::uint8_t, 4> pixel{1, 2, 3, 255};
    std::array<float, 3> out{};
    PreprocessSpec spec;
    spec.size = 1;
    PreprocessWorkspace workspace;
    const ImageView image{pixel.data(), 1, 1, 4};
    const auto codeOf = [](const auto& result) {
        return result ? ErrorCode{} : result.error().code;
    };
    for (const Isa isa : {Isa::Portable, Isa::Avx2, Isa::Avx512}) {
        const ErrorCode expected = isa <= bestIsa() ? ErrorCode{} : ErrorCode::Unsupported;
        EXPECT_EQ(codeOf(preprocessOn(isa, image, spec, workspace, out)), expected);
        EXPECT_EQ(codeOf(resizeOn(isa, image, 2, 2, TapFilter::Box)), expected);
        // Without a query a path that is there refuses, too, but for that reason.
        EXPECT_EQ(codeOf(dotTopKOn(isa, {}, {}, {}, {})) == ErrorCode::Unsupported,
                  expected == ErrorCode::Unsupported);
    }
}

}  // namespace
}  // namespace bifocal::kernels
