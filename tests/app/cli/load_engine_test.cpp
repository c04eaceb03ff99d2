// SPDX-License-Identifier: Apache-2.0
// The injector and the batch generator on an engine with a fake pack.
#include "app/cli/bench/batch_feeder.h"
#include "app/cli/load/prompt_source.h"
#include "tests/core/engine/engine_fixture.h"

#include <numeric>

namespace bifocal::cli {
namespace {

class LoadEngineTest : public test::EngineTest {
protected:
    std::filesystem::path folderOf(const std::string& name, int pictureCount) {
        for (int i = 0; i < pictureCount; ++i) {
            add(name + "/" + std::to_string(i) + ".png", numbered(i));
        }
        return pictures() / name;
    }
    static LoadMix mixOf(double text, double image, double fused) {
        LoadMix mix;
        mix.weights = {text, image, fused};
        return mix;
    }
};

TEST_F(LoadEngineTest, HasNoPromptsForAnEmptyLibrary) {
    const auto source = PromptSource::ofLibrary(*engine_);

    ASSERT_FALSE(source);
    EXPECT_EQ(source.error().code, ErrorCode::NotFound);
}

TEST_F(LoadEngineTest, MakesPromptsOfEveryKind) {
    folderOf("few", 3);
    indexed(*engine_);
    auto source = PromptSource::ofLibrary(*engine_);
    ASSERT_TRUE(source);

    const Prompt text = source->next(LoadKind::Text);
    const Prompt image = source->next(LoadKind::Image);
    const Prompt fused = source->next(LoadKind::Fused);

    EXPECT_NE(text.text, "");
    EXPECT_FALSE(text.image);
    EXPECT_EQ(image.text, "");
    EXPECT_TRUE(image.image);
    EXPECT_NE(fused.text, text.text);
    EXPECT_TRUE(fused.image);
}

TEST_F(LoadEngineTest, GetsAnAnswerToEveryPromptItSends) {
    folderOf("few", 3);
    indexed(*engine_);
    auto source = PromptSource::ofLibrary(*engine_);
    ASSERT_TRUE(source);
    const LoadMix mix = mixOf(1, 1, 1);
    ASSERT_TRUE(warmUp(*engine_, *source, mix));
    SteadyPacer pacer;
    OpenLoop loop(pacer, 100);

    loop.inject(makeArrivals(100, 0.3, mix, 1), startOn(*engine_, *source));
    const auto run = loop.finish();

    ASSERT_TRUE(run) << run.error().message;
    EXPECT_EQ(run->samples.size(), run->sentCount);
    EXPECT_GT(run->sentCount, 0U);
}

TEST_F(LoadEngineTest, PassesAFailureOn) {
    folderOf("few", 3);
    indexed(*engine_);
    auto source = PromptSource::ofLibrary(*engine_);
    ASSERT_TRUE(source);
    pack_->control().setTextFault(test::FakeFault::Fail);
    SteadyPacer pacer;
    OpenLoop loop(pacer, 100);

    loop.inject(makeArrivals(100, 0.05, mixOf(1, 0, 0), 1), startOn(*engine_, *source));
    const auto run = loop.finish();

    ASSERT_FALSE(run);
    EXPECT_NE(run.error().message.find("fake fault"), std::string::npos);
    EXPECT_FALSE(warmUp(*engine_, *source, mixOf(1, 0, 0)));
}

TEST_F(LoadEngineTest, EncodesTheSamePicturesWithoutEnd) {
    constexpr int kPictureCount = 10;
    constexpr std::uint64_t kEnough = 5 * 2 * kPictureCount;
    auto feeder = BatchFeeder::start(
        *engine_, {folderOf("first", kPictureCount), folderOf("second", kPictureCount)});
    ASSERT_TRUE(feeder) << feeder.error().message;

    while ((*feeder)->doneCount() < kEnough && !(*feeder)->hasFailed()) {
        std::this_thread::yield();
    }
    const Result<void> outcome = (*feeder)->stop();

    ASSERT_TRUE(outcome) << outcome.error().message;
    const std::vector<std::size_t> batches = pack_->control().imageBatches();
    const std::size_t encoded = std::accumulate(batches.begin(), batches.end(), std::size_t{0});
    EXPECT_GE(encoded, kEnough);  // none was taken for a copy of an earlier one
}

TEST_F(LoadEngineTest, SaysThatPicturesFailed) {
    const std::filesystem::path folder = folderOf("mixed", 3);
    addText("mixed/broken.png", "no picture");
    auto feeder = BatchFeeder::start(*engine_, {folder});
    ASSERT_TRUE(feeder);

    while ((*feeder)->doneCount() < 8 && !(*feeder)->hasFailed()) {
        std::this_thread::yield();
    }
    const Result<void> outcome = (*feeder)->stop();

    ASSERT_FALSE(outcome);
    EXPECT_EQ(outcome.error().code, ErrorCode::Corruption);
}

}  // namespace
}  // namespace bifocal::cli
