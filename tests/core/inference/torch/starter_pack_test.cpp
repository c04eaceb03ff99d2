// SPDX-License-Identifier: Apache-2.0
#include "core/inference/label_mixture.h"
#include "core/inference/model_pack.h"
#include "core/inference/torch/torch_packs.h"
#include "tests/core/inference/torch/golden_data.h"
#include "tests/support/starter_folder.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>
#include <numeric>
#include <string>
#include <thread>
#include <vector>

namespace bifocal::torch_backend {
namespace {

using test::cosine;

class StarterPackTest : public testing::Test {
protected:
    static void SetUpTestSuite() {
        auto loaded = loadPack(test::starterFolder(), {Precision::Fp32});
        ASSERT_TRUE(loaded) << loaded.error().message;
        pack_ = *std::move(loaded);
    }
    static void TearDownTestSuite() { pack_.reset(); }

    static std::size_t dim() { return pack_->info().layout.dim; }

    static std::vector<float> encode(ImageEncoder& encoder,
                                     const std::vector<ImageBuffer>& images) {
        std::vector<ImageView> views;
        for (const ImageBuffer& image : images) {
            views.push_back(image.view());
        }
        std::vector<float> rows(images.size() * dim(), -1.0F);
        const auto result = encoder.encode(views, rows, {});
        EXPECT_TRUE(result) << result.error().message;
        return rows;
    }

    static std::shared_ptr<const ModelPack> pack_;
};

std::shared_ptr<const ModelPack> StarterPackTest::pack_;

std::span<const float> part(std::span<const float> rows,
                            std::size_t index,
                            const RowLayout& layout,
                            const char* block) {
    const RowBlock* found = layout.find(block);
    return rows.subspan(index * layout.dim + found->offset, found->dim);
}

TEST_F(StarterPackTest, SaysWhatItIs) {
    const PackInfo& info = pack_->info();
    EXPECT_TRUE(info.id.starts_with("starter-1-")) << info.id;
    EXPECT_EQ(info.layout, labelMixtureLayout());
    EXPECT_EQ(info.scripts, std::vector<Script>{Script::Latin});
    EXPECT_EQ(info.device, "cpu");
    EXPECT_EQ(info.precision, "fp32");
    EXPECT_FALSE(info.deviceWhy.empty());
    EXPECT_EQ(info.deviceFacts.device, DeviceReason::OnlyCpu);
    EXPECT_EQ(info.deviceFacts.precision == PrecisionReason::Bf16Native, info.precision == "bf16");
    EXPECT_GT(info.weightBytes, 100'000'000U);
    EXPECT_GT(allocatedBytes(), 80'000'000U);
    EXPECT_GE(peakAllocatedBytes(), allocatedBytes());
}

TEST_F(StarterPackTest, PictureRowsMatchTheReference) {
    const auto encoder = *pack_->makeImageEncoder({});
    const std::vector<ImageBuffer> pictures = test::goldenPictures();
    const std::vector<float> rows = encode(*encoder, pictures);
    const RowLayout& layout = pack_->info().layout;
    const std::vector<float> golden = test::goldenFloats("head.f32");
    const nlohmann::json head = test::goldenJson("head.json");
    for (const char* block : {"words", "looks"}) {
        for (const auto& json : head["parts"]) {
            if (json["name"] != std::string("picture_") + block) {
                continue;
            }
            const auto offset = json["offset"].get<std::size_t>();
            for (std::size_t i = 0; i < pictures.size(); ++i) {
                const auto got = part(rows, i, layout, block);
                for (std::size_t n = 0; n < got.size(); ++n) {
                    ASSERT_NEAR(got[n], golden[offset + i * got.size() + n], 1e-4F)
                        << block << " of picture " << i << ", number " << n;
                }
            }
        }
    }
    for (std::size_t i = 0; i < pictures.size(); ++i) {
        const auto row = std::span(rows).subspan(i * dim(), dim());
        const std::vector<float> colours = colourBlock(pictures[i].view());
        EXPECT_TRUE(std::equal(colours.begin(), colours.end(), row.begin() + 512));
        EXPECT_TRUE(std::all_of(row.begin() + 523, row.end(), [](float v) { return v == 0; }));
    }
}

TEST_F(StarterPackTest, ScoresMatchTheReference) {
    const auto images = *pack_->makeImageEncoder({});
    const auto texts = *pack_->makeTextEncoder({});
    const std::vector<ImageBuffer> pictures = test::goldenPictures();
    const std::vector<float> rows = encode(*images, pictures);
    const std::vector<float> golden = test::goldenFloats("head.f32");
    const nlohmann::json head = test::goldenJson("head.json");
    ASSERT_EQ(head["parts"].back()["name"], "scores");
    const std::size_t offset = head["parts"].back()["offset"];
    const nlohmann::json json = test::goldenJson("text.json");
    std::size_t compared = 0;
    for (std::size_t t = 0; t < json["texts"].size(); ++t) {
        const auto text = json["texts"][t].get<std::string>();
        const auto encoded = texts->encode(text, {});
        if (!encoded || cleanPrompt(text) != text) {
            continue;  // the reference's scores are of the texts as they stand
        }
        ++compared;
        const auto words = part(encoded->row, 0, pack_->info().layout, "words");
        for (std::size_t i = 0; i < pictures.size(); ++i) {
            const auto picture = part(rows, i, pack_->info().layout, "words");
            const float score =
                std::inner_product(words.begin(), words.end(), picture.begin(), 0.0F);
            EXPECT_NEAR(score, golden[offset + t * pictures.size() + i], 1e-4F) << text;
        }
    }
    EXPECT_GE(compared, 19U);
}

TEST_F(StarterPackTest, TextRowHoldsItsColours) {
    const auto encoder = *pack_->makeTextEncoder({});
    const auto encoded = encoder->encode("A red and blue kite!", {});
    ASSERT_TRUE(encoded) << encoded.error().message;
    EXPECT_FALSE(encoded->isTruncated);
    const auto colours = part(encoded->row, 0, pack_->info().layout, "colours");
    EXPECT_FLOAT_EQ(colours[3], 0.1F);
    EXPECT_FLOAT_EQ(colours[7], 0.1F);
    const auto same = encoder->encode("  a red and blue kite ", {});
    ASSERT_TRUE(same);
    EXPECT_EQ(same->row, encoded->row);
}

TEST_F(StarterPackTest, RefusesTextOfWhichItKnowsNoWord) {
    const auto encoder = *pack_->makeTextEncoder({});
    for (const std::string& text : {std::string("😀"), std::string("🎉 🎉"), std::string(500, 'a')}) {
        const auto encoded = encoder->encode(text, {});
        ASSERT_FALSE(encoded) << text;
        EXPECT_EQ(encoded.error().code, ErrorCode::Unsupported);
    }
    EXPECT_TRUE(encoder->encode("a kite 😀", {}));
}

TEST_F(StarterPackTest, RefusesTextInOtherScriptsAndSaysWhatItReads) {
    const auto encoder = *pack_->makeTextEncoder({});
    for (const char* text : {"кошка", "夏の通勤", "قطة", "हिन्दी"}) {
        const auto encoded = encoder->encode(text, {});
        ASSERT_FALSE(encoded) << text;
        EXPECT_EQ(encoded.error().code, ErrorCode::Unsupported);
        EXPECT_NE(encoded.error().message.find(toString(Script::Latin)), std::string::npos)
            << encoded.error().message;
        EXPECT_NE(encoded.error().message.find(toString(scriptsOf(text).front())),
                  std::string::npos)
            << encoded.error().message;
    }
    EXPECT_TRUE(encoder->encode("кошка cat", {}));
    EXPECT_TRUE(encoder->encode("1984", {}));
}

TEST_F(StarterPackTest, SaysWhenATextIsTooLong) {
    const auto encoder = *pack_->makeTextEncoder({});
    std::string text;
    for (int i = 0; i < 300; ++i) {
        text += "dog ";
    }
    const auto encoded = encoder->encode(text, {});
    ASSERT_TRUE(encoded);
    EXPECT_TRUE(encoded->isTruncated);
}

TEST_F(StarterPackTest, ARowDoesNotDependOnItsBatch) {
    const auto encoder = *pack_->makeImageEncoder({});
    EXPECT_EQ(encoder->preferredBatch(), 8U);
    std::vector<ImageBuffer> pictures = test::goldenPictures();
    pictures.push_back(pictures[2]);
    pictures.push_back({3, 200, golden::picture({"waves", 3, 200, 5, "radial"})});
    const std::vector<float> together = encode(*encoder, pictures);
    for (std::size_t i = 0; i < pictures.size(); ++i) {
        const std::vector<float> alone = encode(*encoder, {pictures[i]});
        EXPECT_GE(cosine(alone, std::span(together).subspan(i * dim(), dim())), 0.9999) << i;
    }
}

TEST_F(StarterPackTest, TwoEncodersOnTwoThreadsAgree) {
    const std::vector<ImageBuffer> pictures = test::goldenPictures();
    std::vector<std::vector<float>> rows(2);
    std::vector<std::vector<float>> texts(2);
    {
        std::vector<std::jthread> workers;
        for (std::size_t w = 0; w < 2; ++w) {
            workers.emplace_back([&, w] {
                const auto images = *pack_->makeImageEncoder({});
                const auto text = *pack_->makeTextEncoder({});
                for (int repeat = 0; repeat < 3; ++repeat) {
                    rows[w] = encode(*images, pictures);
                    texts[w] = text->encode("a small red boat", {})->row;
                }
            });
        }
    }
    EXPECT_EQ(rows[0], rows[1]);
    EXPECT_EQ(texts[0], texts[1]);
}

TEST_F(StarterPackTest, RefusesEmptyPicturesAndStops) {
    const auto images = *pack_->makeImageEncoder({});
    const auto texts = *pack_->makeTextEncoder({});
    std::vector<float> row(dim());
    const std::vector<ImageView> empty(1);
    EXPECT_EQ(images->encode(empty, row, {}).error().code, ErrorCode::InvalidArgument);
    EXPECT_TRUE(images->encode({}, {}, {}));
    std::stop_source stop;
    stop.request_stop();
    const ImageBuffer picture{2, 2, golden::picture({"noise", 2, 2, 1, "opaque"})};
    const std::vector<ImageView> views{picture.view()};
    EXPECT_EQ(images->encode(views, row, stop.get_token()).error().code, ErrorCode::Cancelled);
    EXPECT_EQ(texts->encode("cat", stop.get_token()).error().code, ErrorCode::Cancelled);
}

TEST_F(StarterPackTest, PicturesWithNothingToSeeHaveFiniteRows) {
    const auto encoder = *pack_->makeImageEncoder({});
    const std::vector<ImageBuffer> pictures{
        {1, 1, golden::picture({"mixed", 1, 1, 7, "opaque"})},
        {64, 64, golden::picture({"waves", 64, 64, 16, "clear"})},
        {16, 16, std::vector<std::uint8_t>(16 * 16 * 4, 255)},
        {16, 16, std::vector<std::uint8_t>(16 * 16 * 4, 0)}};
    const std::vector<float> rows = encode(*encoder, pictures);
    EXPECT_TRUE(std::all_of(rows.begin(), rows.end(), [](float v) { return std::isfinite(v); }));
}

TEST_F(StarterPackTest, QueryMixesTextAndPicture) {
    const auto images = *pack_->makeImageEncoder({});
    const auto texts = *pack_->makeTextEncoder({});
    const std::vector<float> image = encode(*images, {test::goldenPictures()[4]});
    const auto text = texts->encode("red", {});
    ASSERT_TRUE(text);
    const auto query = pack_->makeQuery({text->row, image, {}, 0.25});
    ASSERT_TRUE(query);
    EXPECT_FLOAT_EQ((*query)[7], 0.75F * text->row[7]);
    EXPECT_FLOAT_EQ((*query)[400], 0.25F * image[400]);
    EXPECT_FLOAT_EQ((*query)[515], 0.75F * 0.2F);
    EXPECT_FALSE(pack_->makeQuery({}));
}

TEST(Environment, IsReadyOnceTheVariableIsSet) {
    ::unsetenv("OMP_WAIT_POLICY");
    EXPECT_FALSE(environmentIsReady());
    EXPECT_STREQ(std::getenv("OMP_WAIT_POLICY"), "passive");
    EXPECT_TRUE(environmentIsReady());
    ::setenv("OMP_WAIT_POLICY", "active", 1);
    EXPECT_TRUE(environmentIsReady());
    EXPECT_STREQ(std::getenv("OMP_WAIT_POLICY"), "active");
}

}  // namespace
}  // namespace bifocal::torch_backend
