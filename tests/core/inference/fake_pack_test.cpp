// SPDX-License-Identifier: Apache-2.0
#include "tests/support/fake_pack.h"

#include "core/inference/query.h"

#include <gtest/gtest.h>

#include <cmath>
#include <numeric>
#include <thread>
#include <vector>

namespace bifocal::test {
namespace {

float dot(const std::vector<float>& a, const std::vector<float>& b) {
    return std::inner_product(a.begin(), a.end(), b.begin(), 0.0F);
}

TEST(FakePack, WordsFindTheirColourAndPicturesFindThemselves) {
    const FakePack pack;
    ASSERT_TRUE(validate(pack.info().layout));
    const std::vector<std::pair<const char*, ImageBuffer>> pictures{
        {"red", solidImage(8, 8, 220, 10, 10)},
        {"blue", solidImage(9, 7, 10, 20, 230)},
        {"green", solidImage(5, 5, 10, 170, 30)},
    };
    const auto encoder = pack.makeImageEncoder({});
    const auto text = pack.makeTextEncoder({});
    ASSERT_TRUE(encoder && text);
    std::vector<std::vector<float>> rows;
    for (const auto& [name, picture] : pictures) {
        std::vector<float> row(pack.info().layout.dim);
        const std::vector<ImageView> views{picture.view()};
        ASSERT_TRUE((*encoder)->encode(views, row, {}));
        rows.push_back(row);
    }
    for (std::size_t i = 0; i < pictures.size(); ++i) {
        const auto encoded = (*text)->encode(pictures[i].first, {});
        ASSERT_TRUE(encoded);
        const auto words = pack.makeQuery({encoded->row, {}, {}, 0.5});
        const auto looks = pack.makeQuery({{}, rows[i], {}, 0.5});
        ASSERT_TRUE(words && looks);
        for (std::size_t other = 0; other < pictures.size(); ++other) {
            if (other != i) {
                EXPECT_GT(dot(*words, rows[i]), dot(*words, rows[other]));
                EXPECT_GT(dot(*looks, rows[i]), dot(*looks, rows[other]));
            }
        }
    }
}

TEST(FakePack, FaultsAndScripts) {
    const FakePack pack;
    const auto encoder = *pack.makeImageEncoder({});
    const auto text = *pack.makeTextEncoder({});
    const ImageBuffer image = solidImage(4, 4, 1, 2, 3);
    const std::vector<ImageView> views{image.view()};
    std::vector<float> row(pack.info().layout.dim);
    pack.control().setImageFault(FakeFault::Fail);
    EXPECT_EQ(encoder->encode(views, row, {}).error().code, ErrorCode::Internal);
    pack.control().setImageFault(FakeFault::NotFinite);
    ASSERT_TRUE(encoder->encode(views, row, {}));
    EXPECT_TRUE(std::isnan(row[0]));
    EXPECT_EQ(text->encode("кошка", {}).error().code, ErrorCode::Unsupported);
    pack.control().setTextFault(FakeFault::Fail);
    EXPECT_EQ(text->encode("cat", {}).error().code, ErrorCode::Internal);
    EXPECT_EQ(pack.control().imageBatches(), (std::vector<std::size_t>{1, 1}));
    EXPECT_EQ(pack.control().texts().size(), 2U);
}

TEST(FakePack, GateHoldsUntilOpenedOrStopped) {
    const FakePack pack;
    const auto encoder = *pack.makeTextEncoder({});
    pack.control().textGate.close();
    std::stop_source stop;
    ErrorCode code{};
    std::jthread worker([&] { code = encoder->encode("red", stop.get_token()).error().code; });
    pack.control().textGate.awaitHeld(1);
    stop.request_stop();
    worker.join();
    EXPECT_EQ(code, ErrorCode::Cancelled);

    bool succeeded = false;
    std::jthread second([&] { succeeded = encoder->encode("red", {}).has_value(); });
    pack.control().textGate.awaitHeld(1);
    pack.control().textGate.open();
    second.join();
    EXPECT_TRUE(succeeded);
}

}  // namespace
}  // namespace bifocal::test
