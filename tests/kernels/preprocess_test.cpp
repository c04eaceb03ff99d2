// SPDX-License-Identifier: Apache-2.0
#include "kernels/preprocess.h"

#include "kernels/internal/resample.h"
#include "tests/golden/golden_files.h"
#include "tests/kernels/guarded.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <nlohmann/json.hpp>
#include <random>
#include <string>

namespace bifocal::kernels {
namespace {

ImageBuffer noise(int width, int height, unsigned seed) {
    std::mt19937 random(seed);
    ImageBuffer image{width, height, {}};
    image.rgba.resize(static_cast<std::size_t>(width) * static_cast<std::size_t>(height) * 4);
    for (std::uint8_t& byte : image.rgba) {
        byte = static_cast<std::uint8_t>(random());
    }
    return image;
}

// ------------------------------------------------ the recipe in plain loops and double precision
double cubic(double x) {
    x = std::abs(x);
    if (x < 1) {
        return 1.5 * x * x * x - 2.5 * x * x + 1;
    }
    return x < 2 ? -0.5 * x * x * x + 2.5 * x * x - 4 * x + 2 : 0;
}

using Plane = std::vector<std::vector<double>>;  // [y][x]

std::vector<double> resampleLine(const std::vector<double>& line, int outCount) {
    const double scale = static_cast<double>(line.size()) / outCount;
    const double widening = std::max(1.0, scale);
    std::vector<double> out;
    for (int i = 0; i < outCount; ++i) {
        const double centre = (i + 0.5) * scale - 0.5;
        double sum = 0;
        double weights = 0;
        const double last = std::min(centre + 2 * widening, static_cast<double>(line.size()) - 1);
        for (double x = std::max(0.0, std::floor(centre - 2 * widening)); x <= last; ++x) {
            const double weight = cubic((x - centre) / widening);
            sum += weight * line[static_cast<std::size_t>(x)];
            weights += weight;
        }
        out.push_back(std::clamp(std::floor(sum / weights + 0.5), 0.0, 255.0));
    }
    return out;
}

Plane transposed(const Plane& plane) {
    Plane out(plane[0].size(), std::vector<double>(plane.size()));
    for (std::size_t y = 0; y < plane.size(); ++y) {
        for (std::size_t x = 0; x < plane[0].size(); ++x) {
            out[x][y] = plane[y][x];
        }
    }
    return out;
}

Plane referencePlane(const ImageBuffer& image, const PreprocessSpec& spec, std::size_t c) {
    const int side = std::max(image.width, image.height);
    const int left = (side - image.width) / 2;
    const int top = (side - image.height) / 2;
    const int background = spec.background[c];
    Plane square(static_cast<std::size_t>(side),
                 std::vector<double>(static_cast<std::size_t>(side), background));
    for (int y = 0; y < image.height; ++y) {
        for (int x = 0; x < image.width; ++x) {
            const std::uint8_t* pixel = image.view().row(y) + x * 4;
            const int alpha = pixel[3];
            square[static_cast<std::size_t>(top + y)][static_cast<std::size_t>(left + x)] =
                (pixel[c] * alpha + background * (255 - alpha) + 127) / 255;
        }
    }
    for (auto& line : square) {
        line = resampleLine(line, spec.size);
    }
    square = transposed(square);
    for (auto& line : square) {
        line = resampleLine(line, spec.size);
    }
    return transposed(square);
}

/// Errors in units of 8 bits. Double and fixed-point weights round one byte in many differently.
void expectLikeReference(const ImageBuffer& image, const PreprocessSpec& spec, Isa isa) {
    SCOPED_TRACE(std::string(toString(isa)) + " " + std::to_string(image.width) + "x" +
                 std::to_string(image.height) + " to " + std::to_string(spec.size));
    const auto size = static_cast<std::size_t>(spec.size);
    Guarded<float> out(3 * size * size);
    PreprocessWorkspace workspace;
    ASSERT_TRUE(preprocessOn(isa, image.view(), spec, workspace, out.span()));
    EXPECT_TRUE(out.areBandsIntact());
    double total = 0;
    double worst = 0;
    for (std::size_t c = 0; c < 3; ++c) {
        const Plane plane = referencePlane(image, spec, c);
        for (std::size_t y = 0; y < size; ++y) {
            for (std::size_t x = 0; x < size; ++x) {
                const double level =
                    double{out.data()[(c * size + y) * size + x]} * spec.scale[c] + spec.mean[c];
                const double error = std::abs(level - plane[y][x]);
                total += error;
                worst = std::max(worst, error);
            }
        }
    }
    EXPECT_LE(worst, 1.001);
    EXPECT_LE(total / static_cast<double>(out.span().size()), 0.01);
}

TEST(Preprocess, LikeTheRecipeInPlainLoops) {
    PreprocessSpec spec;
    spec.background = {255, 10, 128};
    spec.mean = {123.675F, 116.28F, 103.53F};
    spec.scale = {58.395F, 57.12F, 57.375F};
    for (const Isa isa : availableIsas()) {
        for (const auto& [width, height] : {std::pair{1, 1},
                                            {2, 1},
                                            {1, 2},
                                            {15, 16},
                                            {17, 31},
                                            {33, 32},
                                            {128, 127},
                                            {129, 60},
                                            {90, 200}}) {
            for (const int size : {1, 7, 32, 33}) {
                spec.size = size;
                const auto seed = static_cast<unsigned>(width * 1000 + height);
                expectLikeReference(noise(width, height, seed), spec, isa);
            }
        }
    }
}

TEST(Preprocess, EqualsTheGoldenFile) {
    const auto golden =
        nlohmann::json::parse(golden::readFile(BIFOCAL_GOLDEN_DIR "/preprocess.json"));
    const std::string expected = golden::readFile(BIFOCAL_GOLDEN_DIR "/preprocess.u8");
    PreprocessSpec spec;
    spec.size = golden["side"];
    const auto side = static_cast<std::size_t>(spec.size);
    const std::size_t step = golden["step"];
    PreprocessWorkspace workspace;
    std::vector<float> out(3 * side * side);
    for (const Isa isa : availableIsas()) {
        std::size_t at = 0;
        for (const auto& entry : golden["pictures"]) {
            const golden::PictureSpec picture{
                entry["kind"], entry["width"], entry["height"], entry["seed"], entry["alpha"]};
            const ImageBuffer image{picture.width, picture.height, golden::picture(picture)};
            ASSERT_TRUE(preprocessOn(isa, image.view(), spec, workspace, out));
            for (std::size_t y = 0; y < side; y += step) {
                for (std::size_t x = 0; x < side; x += step) {
                    for (std::size_t c = 0; c < 3; ++c, ++at) {
                        const float level = out[(c * side + y) * side + x] * 128.0F + 127.0F;
                        ASSERT_LT(at, expected.size());
                        ASSERT_EQ(level,
                                  static_cast<float>(static_cast<std::uint8_t>(expected[at])))
                            << toString(isa) << " " << picture.kind << " " << x << "," << y;
                    }
                }
            }
        }
        EXPECT_EQ(at, expected.size());
    }
}

TEST(Preprocess, EveryPathGivesTheSameBits) {
    PreprocessSpec spec;
    for (const auto fit : {Fit::PadToSquare, Fit::CropToSquare, Fit::Squash}) {
        for (const auto filter : {ResizeFilter::Bilinear, ResizeFilter::Bicubic}) {
            for (const auto& [width, height] :
                 {std::pair{1, 1}, {640, 479}, {3, 700}, {4097, 5}, {223, 225}, {31, 4095}}) {
                spec.fit = fit;
                spec.filter = filter;
                spec.size = 65;
                const ImageBuffer image = noise(width, height, 9000);
                std::vector<float> first(std::size_t{3} * 65 * 65);
                PreprocessWorkspace used;
                ASSERT_TRUE(preprocessOn(Isa::Portable, image.view(), spec, used, first));
                for (const Isa isa : availableIsas()) {
                    for (int time = 0; time < 2; ++time) {
                        std::vector<float> again(first.size());
                        ASSERT_TRUE(preprocessOn(isa, image.view(), spec, used, again));
                        EXPECT_EQ(first, again) << toString(isa) << " " << width << "x" << height;
                    }
                }
            }
        }
    }
}

TEST(Preprocess, OneColourStaysThatColour) {
    PreprocessSpec spec;
    spec.background = {40, 80, 120};
    spec.mean = {0, 0, 0};
    spec.scale = {1, 1, 1};
    ImageBuffer image = noise(333, 77, 1);
    for (std::size_t i = 0; i < image.rgba.size(); i += 4) {
        const std::array<std::uint8_t, 4> clear{1, 2, 3, 0};
        std::copy(clear.begin(), clear.end(), image.rgba.begin() + static_cast<std::ptrdiff_t>(i));
    }
    std::vector<float> out(std::size_t{3} * 224 * 224);
    PreprocessWorkspace workspace;
    for (const Isa isa : availableIsas()) {
        ASSERT_TRUE(preprocessOn(isa, image.view(), spec, workspace, out));
        for (std::size_t i = 0; i < out.size(); ++i) {
            ASSERT_EQ(out[i], spec.background[i / (std::size_t{224} * 224)]) << toString(isa);
        }
    }
}

TEST(Preprocess, CropKeepsTheMiddle) {
    // Three stripes as wide as high each; the middle one fills the input.
    ImageBuffer image{300, 100, std::vector<std::uint8_t>(300 * 100 * 4, 255)};
    for (int y = 0; y < 100; ++y) {
        for (int x = 0; x < 300; ++x) {
            image.rgba[static_cast<std::size_t>((y * 300 + x) * 4)] =
                static_cast<std::uint8_t>(x / 100 * 100);
        }
    }
    PreprocessSpec spec;
    spec.fit = Fit::CropToSquare;
    spec.size = 50;
    spec.mean = {0, 0, 0};
    spec.scale = {1, 1, 1};
    std::vector<float> out(3 * 50 * 50);
    PreprocessWorkspace workspace;
    ASSERT_TRUE(preprocess(image.view(), spec, workspace, out));
    EXPECT_EQ(out[25 * 50 + 25], 100.0F);
    EXPECT_EQ(out[25 * 50 + 4], 100.0F);
    EXPECT_EQ(out[25 * 50 + 45], 100.0F);
    spec.fit = Fit::Squash;
    ASSERT_TRUE(preprocess(image.view(), spec, workspace, out));
    EXPECT_EQ(out[25 * 50 + 5], 0.0F);
    EXPECT_EQ(out[25 * 50 + 25], 100.0F);
    EXPECT_EQ(out[25 * 50 + 45], 200.0F);
}

TEST(Preprocess, LongThinPicturesAndStrides) {
    PreprocessSpec spec;
    std::vector<float> out(std::size_t{3} * 224 * 224);
    std::vector<float> again(out.size());
    PreprocessWorkspace workspace;
    for (const auto& [width, height] : {std::pair{30000, 1}, {1, 30000}}) {
        const ImageBuffer image = noise(width, height, 10000);
        ASSERT_TRUE(preprocess(image.view(), spec, workspace, out));
        EXPECT_EQ(out[0], 1.0F);  // white padding
    }
    const ImageBuffer image = noise(300, 200, 10001);
    const ImageView part = crop(image.view(), {33, 21, 101, 57});
    ASSERT_TRUE(preprocess(part, spec, workspace, out));
    ASSERT_TRUE(preprocess(copyOf(part).view(), spec, workspace, again));
    EXPECT_EQ(out, again);
}

TEST(Preprocess, RefusesWhatDoesNotFit) {
    PreprocessSpec spec;
    PreprocessWorkspace workspace;
    const ImageBuffer image = noise(3, 3, 1);
    std::vector<float> out(std::size_t{3} * 224 * 224);
    const auto codeOf = [&](ImageView view, std::span<float> to) {
        return preprocess(view, spec, workspace, to).error().code;
    };
    EXPECT_EQ(codeOf({}, out), ErrorCode::InvalidArgument);
    EXPECT_EQ(codeOf(image.view(), std::span(out).first(5)), ErrorCode::InvalidArgument);
    spec.scale[1] = 0;
    EXPECT_EQ(codeOf(image.view(), out), ErrorCode::InvalidArgument);
    spec = {};
    spec.size = 0;
    EXPECT_EQ(codeOf(image.view(), {}), ErrorCode::InvalidArgument);
    EXPECT_EQ(resize(image.view(), 0, 5).error().code, ErrorCode::InvalidArgument);
    EXPECT_EQ(resize(image.view(), 5, -1).error().code, ErrorCode::InvalidArgument);
    EXPECT_EQ(resize({}, 5, 5).error().code, ErrorCode::InvalidArgument);
}

TEST(Resize, SameSizeIsACopy) {
    const ImageBuffer image = noise(19, 23, 2);
    const auto copy = resize(image.view(), 19, 23);
    ASSERT_TRUE(copy);
    EXPECT_EQ(copy->rgba, image.rgba);
}

TEST(Resize, ClearPixelsLendNoColour) {
    // Opaque red beside clear green: nothing between them may turn green.
    ImageBuffer image{64, 8, {}};
    for (int i = 0; i < 64 * 8; ++i) {
        const bool isRed = i % 64 < 32;
        image.rgba.insert(image.rgba.end(),
                          {static_cast<std::uint8_t>(isRed ? 255 : 0),
                           static_cast<std::uint8_t>(isRed ? 0 : 255),
                           0,
                           static_cast<std::uint8_t>(isRed ? 255 : 0)});
    }
    for (const Isa isa : availableIsas()) {
        for (const auto& [width, height] : {std::pair{7, 3}, {200, 30}}) {
            const auto result = resizeOn(isa, image.view(), width, height, TapFilter::Bicubic);
            ASSERT_TRUE(result);
            for (std::size_t i = 0; i < result->rgba.size(); i += 4) {
                EXPECT_EQ(result->rgba[i + 1], 0) << toString(isa);
            }
            EXPECT_EQ(result->rgba[0], 255);
            EXPECT_EQ(result->rgba[3], 255);
            EXPECT_EQ(result->rgba[result->rgba.size() - 1], 0);
        }
    }
}

TEST(Resize, BoxIsTheMeanOfWholeBlocks) {
    ImageBuffer image = noise(60, 40, 3);
    for (std::size_t i = 3; i < image.rgba.size(); i += 4) {
        image.rgba[i] = 255;
    }
    for (const Isa isa : availableIsas()) {
        const auto result = resizeOn(isa, image.view(), 12, 10, TapFilter::Box);
        ASSERT_TRUE(result);
        for (int y = 0; y < 10; ++y) {
            for (int x = 0; x < 12; ++x) {
                double sum = 0;
                for (int i = 0; i < 20; ++i) {
                    sum += image.view().row(y * 4 + i / 5)[(x * 5 + i % 5) * 4];
                }
                EXPECT_NEAR(result->view().row(y)[x * 4], sum / 20, 1.0) << toString(isa);
            }
        }
    }
}

TEST(Resize, EveryPathGivesTheSameBytes) {
    for (const auto& [width, height] : {std::pair{1, 1}, {129, 33}, {1000, 3}, {3, 1000}}) {
        const ImageBuffer image = noise(width, height, 11000);
        for (const auto& [toWidth, toHeight] : {std::pair{1, 1}, {3, 5}, {17, 128}, {260, 31}}) {
            const auto first =
                resizeOn(Isa::Portable, image.view(), toWidth, toHeight, TapFilter::Bicubic);
            ASSERT_TRUE(first);
            for (const Isa isa : availableIsas()) {
                const auto again =
                    resizeOn(isa, image.view(), toWidth, toHeight, TapFilter::Bicubic);
                ASSERT_TRUE(again);
                EXPECT_EQ(first->rgba, again->rgba)
                    << toString(isa) << " " << width << "x" << height << " to " << toWidth << "x"
                    << toHeight;
            }
        }
    }
}

}  // namespace
}  // namespace bifocal::kernels
