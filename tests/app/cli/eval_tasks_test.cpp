// SPDX-License-Identifier: Apache-2.0
#include "app/cli/eval/candidate_set.h"
#include "app/cli/eval/eval_pictures.h"
#include "app/cli/eval/tasks.h"
#include "core/imaging/decode.h"
#include "tests/app/cli/cli_fixture.h"
#include "tests/support/fake_pack.h"

#include <gtest/gtest.h>

#include <map>

namespace bifocal::cli {
namespace {

ContentKey keyOf(std::uint8_t number) {
    ContentKey key;
    key.bytes[0] = number;
    return key;
}

/// A library's vectors of a few pictures of one colour each, made by the fake pack.
class EvalTasksTest : public ::testing::Test {
protected:
    void SetUp() override {
        const PackInfo& info = pack_.info();
        auto index = VectorIndex::open(folder_ / "vectors.bfv",
                                       {info.id, info.layout.dim, info.layout.strideBytes},
                                       IndexAccess::Write);
        ASSERT_TRUE(index) << index.error().message;
        index_ = *std::move(index);
    }

    /// Adds a picture; the same `number` again is a copy of it.
    void add(std::uint8_t number,
             const std::string& path,
             ImageBuffer image,
             const std::string& prompt) {
        const ContentKey key = keyOf(number);
        const std::vector<float> row = test::FakePack::imageRow(image.view());
        ASSERT_TRUE(index_->append({&key, 1}, row));
        pictures_.push_back(
            {path, path, key, imaging::perceptualHash(image.view()), prompt, prompt});
        images_[path] = std::move(image);
    }

    void addColours() {
        add(1, "b/red.png", test::solidImage(8, 8, 220, 20, 20), "A red thing.");
        add(2, "a/green.png", test::solidImage(8, 8, 20, 160, 40), "A green thing.");
        add(3, "c/blue.png", test::solidImage(8, 8, 20, 40, 220), "A blue thing.");
    }

    CandidateSet candidates() {
        auto set = CandidateSet::make(index_->snapshot(), pictures_);
        EXPECT_TRUE(set);
        return *std::move(set);
    }

    PictureSource source() {
        return [this](const std::string& path) -> Result<ImageBuffer> {
            const auto found = images_.find(path);
            return found == images_.end() ? Result<ImageBuffer>(Error{ErrorCode::NotFound, path})
                                          : Result<ImageBuffer>(found->second);
        };
    }

    test::ScratchFolder folder_;
    test::FakePack pack_;
    std::unique_ptr<VectorIndex> index_;
    std::vector<EvalPicture> pictures_;
    std::map<std::string, ImageBuffer> images_;
};

TEST_F(EvalTasksTest, FindsEachColourByItsPrompt) {
    addColours();
    const auto encoder = pack_.makeTextEncoder({});

    const auto outcome = evaluateText(pack_, **encoder, candidates(), pictures_);

    ASSERT_TRUE(outcome) << outcome.error().message;
    EXPECT_EQ(outcome->ranks.count(), 3U);
    EXPECT_DOUBLE_EQ(outcome->ranks.recallAt(1), 1.0);
    EXPECT_EQ(outcome->unread, 0U);
}

TEST_F(EvalTasksTest, NamesFindWhatTheVectorsMiss) {
    addColours();
    pictures_[0].prompt = "A blue whale.";  // the picture is red
    const auto encoder = pack_.makeTextEncoder({});
    const NameSource names = [this](const std::string& prompt) -> Result<std::vector<NameMatch>> {
        std::vector<NameMatch> matches;
        if (prompt == "A blue whale.") {
            matches.push_back({FileId{1}, pictures_[0].content, true, 1.0F});
            matches.push_back({FileId{9}, keyOf(99), true, 1.0F});  // no candidate
        }
        return matches;
    };

    const auto outcome = evaluateText(pack_, **encoder, candidates(), pictures_, names);

    ASSERT_TRUE(outcome) << outcome.error().message;
    EXPECT_NEAR(outcome->ranks.recallAt(1), 2.0 / 3, 1e-9);
    EXPECT_NEAR(outcome->namesAlone.recallAt(3), 1.0 / 3, 1e-9);
    EXPECT_DOUBLE_EQ(outcome->fused.recallAt(1), 1.0);
    EXPECT_EQ(evaluateText(pack_, **encoder, candidates(), pictures_)->fused.count(), 0U);
}

TEST_F(EvalTasksTest, CountsAWrongPromptAsAMiss) {
    addColours();
    pictures_[0].prompt = "A blue whale.";
    const auto encoder = pack_.makeTextEncoder({});

    const auto outcome = evaluateText(pack_, **encoder, candidates(), pictures_);

    ASSERT_TRUE(outcome);
    EXPECT_NEAR(outcome->ranks.recallAt(1), 2.0 / 3, 1e-9);
    EXPECT_DOUBLE_EQ(outcome->ranks.recallAt(3), 1.0);
}

TEST_F(EvalTasksTest, TakesAnyPictureWithTheSamePromptForAHit) {
    addColours();
    pictures_[0].prompt = pictures_[2].prompt;  // the red picture is called blue as well
    const auto encoder = pack_.makeTextEncoder({});

    const auto outcome = evaluateText(pack_, **encoder, candidates(), pictures_);

    ASSERT_TRUE(outcome);
    EXPECT_DOUBLE_EQ(outcome->ranks.recallAt(1), 1.0);
}

TEST_F(EvalTasksTest, CountsAPromptThatThePackCannotReadAsAMiss) {
    addColours();
    pictures_[1].prompt = "\xE7\xBB\xBF\xE8\x89\xB2";
    const auto encoder = pack_.makeTextEncoder({});

    const auto outcome = evaluateText(pack_, **encoder, candidates(), pictures_);

    ASSERT_TRUE(outcome);
    EXPECT_EQ(outcome->unread, 1U);
    EXPECT_EQ(outcome->ranks.count(), 3U);
    EXPECT_NEAR(outcome->ranks.recallAt(3), 2.0 / 3, 1e-9);
}

TEST_F(EvalTasksTest, ReportsAnEncoderThatFails) {
    addColours();
    pack_.control().setTextFault(test::FakeFault::Fail);
    const auto encoder = pack_.makeTextEncoder({});

    const auto outcome = evaluateText(pack_, **encoder, candidates(), pictures_);

    ASSERT_FALSE(outcome);
    EXPECT_EQ(outcome.error().code, ErrorCode::Internal);
}

TEST_F(EvalTasksTest, FindsOnlyAmongTheCandidates) {
    addColours();
    const auto set = CandidateSet::make(index_->snapshot(), {pictures_[1], pictures_[2]});
    ASSERT_TRUE(set);
    const std::vector<float> red = test::FakePack::textRow("red");

    const auto rank = set->rankByVector(
        red, [](const EvalPicture& picture) { return picture.path == "b/red.png"; });

    ASSERT_TRUE(rank);
    EXPECT_FALSE(*rank);
}

TEST_F(EvalTasksTest, BreaksTiesByPathAlsoAmongCopiesOfOneContent) {
    add(1, "z.png", test::solidImage(8, 8, 220, 20, 20), "z");
    add(2, "m.png", test::solidImage(8, 8, 220, 20, 20), "m");
    pictures_.push_back(pictures_[0]);
    pictures_.back().path = "a.png";
    const CandidateSet set = candidates();
    const std::vector<float> red = test::FakePack::textRow("red");
    const auto rankOf = [&](const char* path) {
        return **set.rankByVector(
            red, [path](const EvalPicture& picture) { return picture.path == path; });
    };

    EXPECT_EQ(rankOf("a.png"), 1U);
    EXPECT_EQ(rankOf("m.png"), 2U);
    EXPECT_EQ(rankOf("z.png"), 3U);
}

TEST_F(EvalTasksTest, NamesAPictureWithoutAVector) {
    addColours();
    pictures_.push_back({"new.png", "new.png", keyOf(9)});

    const auto set = CandidateSet::make(index_->snapshot(), pictures_);

    ASSERT_FALSE(set);
    EXPECT_EQ(set.error().code, ErrorCode::NotFound);
    EXPECT_NE(set.error().message.find("new.png"), std::string::npos);
}

TEST_F(EvalTasksTest, FindsTheWholeFromAChangedPart) {
    for (std::uint8_t number = 0; number < 4; ++number) {
        const test::Shape shape = test::makeShape(std::size_t{number} * 7);
        add(number, shape.name + ".png", shape.picture, shape.description);
    }
    std::vector<LooksQuery> queries;
    for (const EvalPicture& picture : pictures_) {
        queries.push_back({picture.path, 0.96, 0.02, 0.02, false, 1.0});
    }
    const auto encoder = pack_.makeImageEncoder({});

    const auto outcome = evaluateLooks(pack_, **encoder, candidates(), queries, source());

    ASSERT_TRUE(outcome) << outcome.error().message;
    EXPECT_EQ(outcome->ranks.count(), 4U);
    EXPECT_DOUBLE_EQ(outcome->ranks.recallAt(1), 1.0);
    EXPECT_EQ(outcome->hashRanks.count(), 4U);
    EXPECT_DOUBLE_EQ(outcome->hashRanks.recallAt(4), 1.0);
}

TEST_F(EvalTasksTest, PutsHashesThatSayNothingLast) {
    addColours();  // one colour each: every hash is 0
    const test::Shape shape = test::makeShape(1);
    add(9, "shape.png", shape.picture, shape.description);
    const CandidateSet set = candidates();
    const auto isShape = [](const EvalPicture& picture) { return picture.path == "shape.png"; };

    EXPECT_EQ(set.rankByHash(~imaging::perceptualHash(shape.picture.view()), isShape), 1U);
    EXPECT_FALSE(set.rankByHash(0, isShape));
}

TEST(EvalPicturesTest, ResolvesAList) {
    const std::vector<EvalPicture> pictures{{"a.png", "/1/a.png"}, {"b/c.png", "/1/b/c.png"}};

    const auto chosen = picturesOfList(pictures, "b/c.png\r\n\na.png\n");

    ASSERT_TRUE(chosen);
    ASSERT_EQ(chosen->size(), 2U);
    EXPECT_EQ(chosen->front().file, "/1/b/c.png");
    EXPECT_EQ(picturesOfList(pictures, "d.png\n").error().code, ErrorCode::NotFound);
    EXPECT_EQ(picturesOfList(pictures, "\n").error().code, ErrorCode::InvalidArgument);
}

TEST(RankTallyTest, CountsShares) {
    RankTally tally;
    EXPECT_DOUBLE_EQ(tally.recallAt(1), 0);
    tally.add(1);
    tally.add(5);
    tally.add(11);
    tally.add(std::nullopt);

    EXPECT_DOUBLE_EQ(tally.recallAt(1), 0.25);
    EXPECT_DOUBLE_EQ(tally.recallAt(5), 0.5);
    EXPECT_DOUBLE_EQ(tally.recallAt(10), 0.5);
    EXPECT_DOUBLE_EQ(tally.recallAt(1000), 0.75);
}

}  // namespace
}  // namespace bifocal::cli
