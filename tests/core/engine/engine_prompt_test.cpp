// SPDX-License-Identifier: Apache-2.0
#include "tests/core/engine/engine_fixture.h"

#include <algorithm>
#include <set>

namespace bifocal::test {
namespace {

class EnginePromptTest : public EngineTest {
protected:
    void SetUp() override {
        EngineTest::SetUp();
        add("red.png", solidImage(40, 40, 255, 0, 0));
        add("green.png", solidImage(40, 40, 0, 160, 0));
        add("blue.png", solidImage(40, 40, 0, 0, 255));
        for (int i = 0; i < 9; ++i) {
            add("other" + std::to_string(i) + ".png", numbered(i));
        }
        ASSERT_EQ(indexed(*engine_).indexed, 12U);
    }
};

TEST_F(EnginePromptTest, WordsFindThePictureTheyName) {
    const PromptEvent end = ask(*engine_, words("red"));
    ASSERT_EQ(end.kind, PromptEventKind::Done);
    ASSERT_FALSE(names(end).empty());
    EXPECT_EQ(names(end).front(), "red.png");
    EXPECT_EQ(end.results->searchedCount, 12U);
    const ResultRow& best = end.results->rows.front();
    EXPECT_NEAR(best.score, best.why.text, 1e-5) << "a text prompt scores by words alone";
    EXPECT_EQ(best.why.image, 0);
    EXPECT_EQ(best.file.width, 40);
}

TEST_F(EnginePromptTest, EventsComeInOrderAndEndOnce) {
    PromptRecorder recorder;
    Prompt prompt = picture(pictures() / "blue.png");
    prompt.text = "blue";
    const auto request = engine_->submit(prompt, recorder.handler());
    ASSERT_TRUE(request);
    recorder.end();
    engine_.reset();  // no event can come after it
    const std::vector<PromptEvent> events = recorder.events();
    ASSERT_GE(events.size(), 3U);
    EXPECT_EQ(events.front().kind, PromptEventKind::Accepted);
    for (std::size_t i = 1; i < events.size(); ++i) {
        EXPECT_GT(events[i].sequence, events[i - 1].sequence);
        EXPECT_EQ(events[i].request, *request);
    }
    EXPECT_EQ(std::count_if(events.begin(),
                            events.end(),
                            [](const PromptEvent& event) { return event.isTerminal(); }),
              1);
    EXPECT_TRUE(events.back().isTerminal());
}

TEST_F(EnginePromptTest, ThePromptsOwnPictureIsFirstAndSaysSo) {
    const PromptEvent byFile = ask(*engine_, picture(pictures() / "other3.png"));
    ASSERT_EQ(byFile.kind, PromptEventKind::Done);
    EXPECT_EQ(names(byFile).front(), "other3.png");
    EXPECT_TRUE(byFile.results->rows.front().isThisPicture);
    EXPECT_FALSE(byFile.results->rows[1].isThisPicture);

    // Other bytes, same pixels: found by its perceptual hash, even against the words.
    Prompt bare = words("red");
    bare.image = ImageSource{numbered(3), {}};
    bare.balance = 0.0;
    const PromptEvent byPixels = ask(*engine_, bare);
    ASSERT_EQ(byPixels.kind, PromptEventKind::Done);
    EXPECT_EQ(names(byPixels).front(), "other3.png");
    EXPECT_TRUE(byPixels.results->rows.front().isThisPicture);
    EXPECT_EQ(names(byPixels)[1], "red.png");
}

TEST_F(EnginePromptTest, ARegionIsAPictureOfItsOwn) {
    Prompt prompt = picture(pictures() / "other3.png");
    prompt.image->region = PixelRect{0, 0, 20, 20};
    const PromptEvent end = ask(*engine_, prompt);
    ASSERT_EQ(end.kind, PromptEventKind::Done);
    EXPECT_FALSE(end.results->rows.front().isThisPicture);
    prompt.image->region = PixelRect{500, 0, 20, 20};
    const PromptEvent outside = ask(*engine_, prompt);
    ASSERT_EQ(outside.kind, PromptEventKind::Failed);
    EXPECT_EQ(outside.error->code, ErrorCode::InvalidArgument);
}

TEST_F(EnginePromptTest, TheFasterBranchAnswersFirst) {
    pack_->control().imageGate.close();
    PromptRecorder recorder;
    Prompt prompt = picture(pictures() / "green.png");
    prompt.text = "red";
    ASSERT_TRUE(engine_->submit(prompt, recorder.handler()));
    const PromptEvent partial = recorder.firstOf(PromptEventKind::Partial);
    EXPECT_EQ(names(partial).front(), "red.png");
    const auto& notices = partial.results->notices;
    EXPECT_NE(std::find(notices.begin(), notices.end(), Notice::PartialLens), notices.end());
    pack_->control().imageGate.open();
    const PromptEvent end = recorder.end();
    ASSERT_EQ(end.kind, PromptEventKind::Done);
    EXPECT_EQ(names(end).front(), "green.png");
    const auto& last = end.results->notices;
    EXPECT_EQ(std::find(last.begin(), last.end(), Notice::PartialLens), last.end());
}

TEST_F(EnginePromptTest, BothEncodersRunAtTheSameTime) {
    pack_->control().imageGate.close();
    pack_->control().textGate.close();
    PromptRecorder recorder;
    Prompt prompt = picture(pictures() / "green.png");
    prompt.text = "red";
    ASSERT_TRUE(engine_->submit(prompt, recorder.handler()));
    pack_->control().imageGate.awaitHeld(1);  // returns only when both are inside
    pack_->control().textGate.awaitHeld(1);
    pack_->control().imageGate.open();
    pack_->control().textGate.open();
    EXPECT_EQ(recorder.end().kind, PromptEventKind::Done);
}

TEST_F(EnginePromptTest, NegativesPushAway) {
    Prompt prompt = words("red blue");
    const PromptEvent both = ask(*engine_, prompt);
    prompt.negatives = {"red"};
    const PromptEvent without = ask(*engine_, prompt);
    const auto place = [](const PromptEvent& event) {
        const auto all = names(event);
        return std::find(all.begin(), all.end(), "red.png") - all.begin();
    };
    EXPECT_GT(place(without), place(both));
    EXPECT_EQ(names(without).front(), "blue.png");
}

TEST_F(EnginePromptTest, TypedSearchSupersedesTheOlderRequest) {
    pack_->control().textGate.close();
    PromptRecorder older;
    const auto first = engine_->submit(words("re"), older.handler());
    ASSERT_TRUE(first);
    pack_->control().textGate.awaitHeld(1);
    PromptRecorder newer;
    ASSERT_TRUE(engine_->submit(words("red"), newer.handler(), *first));
    pack_->control().textGate.open();
    EXPECT_EQ(newer.end().kind, PromptEventKind::Done);
    EXPECT_EQ(older.end().kind, PromptEventKind::Cancelled);
    const auto trace = engine_->profiler().request(*first);
    ASSERT_TRUE(trace);
    EXPECT_EQ(trace->outcome, profile::Outcome::Superseded);
}

TEST_F(EnginePromptTest, CancelEndsItOnce) {
    pack_->control().textGate.close();
    PromptRecorder recorder;
    const auto request = engine_->submit(words("red"), recorder.handler());
    ASSERT_TRUE(request);
    pack_->control().textGate.awaitHeld(1);
    engine_->cancel(*request);
    engine_->cancel(*request);
    EXPECT_EQ(recorder.end().kind, PromptEventKind::Cancelled);
    pack_->control().textGate.open();
    EXPECT_EQ(ask(*engine_, words("red")).kind, PromptEventKind::Done);
}

TEST_F(EnginePromptTest, TheDestructorEndsWhatRuns) {
    pack_->control().textGate.close();
    PromptRecorder recorder;
    ASSERT_TRUE(engine_->submit(words("red"), recorder.handler()));
    pack_->control().textGate.awaitHeld(1);
    engine_.reset();
    const std::vector<PromptEvent> events = recorder.events();
    ASSERT_FALSE(events.empty());
    EXPECT_EQ(events.back().kind, PromptEventKind::Cancelled);
}

TEST_F(EnginePromptTest, HopelessPromptsAreRefusedWithAReason) {
    PromptRecorder never;
    for (const char* text : {"", "   ", "-", "\t\n"}) {
        const auto refused = engine_->submit(words(text), never.handler());
        ASSERT_FALSE(refused) << '"' << text << '"';
        EXPECT_EQ(refused.error().code, ErrorCode::InvalidArgument);
    }
    Prompt unbalanced = words("red");
    unbalanced.balance = 1.5;
    EXPECT_FALSE(engine_->submit(unbalanced, never.handler()));
    Prompt spoken;
    spoken.speech = SpeechClip{{0.0F}};
    const auto speech = engine_->submit(spoken, never.handler());
    ASSERT_FALSE(speech);
    EXPECT_EQ(speech.error().code, ErrorCode::Unsupported);
    EXPECT_TRUE(never.events().empty());
}

TEST_F(EnginePromptTest, AnUnreadablePictureSaysWhy) {
    const auto text = addText("broken.png", "this is no picture");
    for (const auto& [path, code] : {std::pair(text, ErrorCode::Unsupported),
                                     std::pair(pictures() / "none.png", ErrorCode::NotFound)}) {
        const PromptEvent end = ask(*engine_, picture(path));
        ASSERT_EQ(end.kind, PromptEventKind::Failed);
        EXPECT_EQ(end.error->code, code) << end.error->message;
        EXPECT_NE(end.error->message.find(path.filename().string()), std::string::npos);
    }
}

TEST_F(EnginePromptTest, AScriptThePackCannotReadIsAClearAnswer) {
    const PromptEvent alone = ask(*engine_, words("\u7ea2\u8272\u7684\u82b1"));
    ASSERT_EQ(alone.kind, PromptEventKind::Failed);
    EXPECT_EQ(alone.error->code, ErrorCode::Unsupported);
    Prompt both = picture(pictures() / "green.png");
    both.text = "\u7ea2\u8272\u7684\u82b1";
    const PromptEvent end = ask(*engine_, both);
    ASSERT_EQ(end.kind, PromptEventKind::Done);
    EXPECT_EQ(names(end).front(), "green.png");
    ASSERT_EQ(end.results->notices.size(), 1U);
    EXPECT_EQ(end.results->notices.front(), Notice::TextUnread);
}

TEST_F(EnginePromptTest, AFilterLimitsToItsCollection) {
    const auto other = folder_.path() / "elsewhere";
    ASSERT_TRUE(makeDirectories(other));
    std::filesystem::copy(pictures() / "red.png", other / "copy.png");
    const auto collection = engine_->addCollection(other);
    ASSERT_TRUE(collection);
    IndexRecorder recorder;
    ASSERT_TRUE(engine_->startIndexing(*collection, recorder.handler()));
    ASSERT_EQ(recorder.end().state, IndexState::Done);
    Prompt prompt = words("red");
    prompt.filters.collections = {*collection};
    const PromptEvent end = ask(*engine_, prompt);
    EXPECT_EQ(names(end), std::vector<std::string>{"copy.png"});
    EXPECT_EQ(end.results->searchedCount, 1U);
}

TEST_F(EnginePromptTest, EveryStageLeavesASpan) {
    Prompt prompt = picture(pictures() / "green.png");
    prompt.text = "red";
    ASSERT_EQ(ask(*engine_, prompt).kind, PromptEventKind::Done);
    // A task's span is written when its worker lets go of it, which may be after the answer is out;
    // the encoders have one worker for prompts, so their second prompt comes after it.
    ASSERT_EQ(ask(*engine_, prompt).kind, PromptEventKind::Done);
    std::set<std::string> stages;
    for (const profile::StageStats& stage : engine_->profiler().stages()) {
        stages.insert(stage.stage);
    }
    EXPECT_TRUE(stages.contains("encode_text"));
    EXPECT_TRUE(stages.contains("encode_image"));
    EXPECT_EQ(engine_->profiler().totals(Urgency::Interactive).count, 2U);
}

TEST(EngineWithoutPack, SaysWhatIsMissing) {
    TemporaryFolder folder;
    EngineParts parts;
    parts.loadPack = [](const std::filesystem::path&) {
        return Result<std::shared_ptr<const ModelPack>>(
            Error{ErrorCode::NotFound, "pack.json is not there"});
    };
    EngineConfig config;
    config.library = folder.path() / "library";
    config.cache = folder.path() / "cache";
    auto engine = Engine::open(config, parts);
    ASSERT_TRUE(engine);
    PromptRecorder recorder;
    Prompt prompt;
    prompt.text = "red";
    const auto request = (*engine)->submit(prompt, recorder.handler());
    const Error error = request ? *recorder.end().error : request.error();
    EXPECT_EQ(error.code, ErrorCode::NotFound);
    const auto problems = (*engine)->check(0);
    ASSERT_FALSE(problems);
    EXPECT_EQ((*engine)->status().packState, PackState::Failed);
}

}  // namespace
}  // namespace bifocal::test
