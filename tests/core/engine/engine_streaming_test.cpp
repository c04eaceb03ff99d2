// SPDX-License-Identifier: Apache-2.0
#include "tests/core/engine/engine_fixture.h"

#include <algorithm>
#include <cstddef>
#include <deque>
#include <latch>
#include <vector>

namespace bifocal::test {
namespace {

std::ptrdiff_t countOf(const std::vector<PromptEvent>& events, PromptEventKind kind) {
    return std::count_if(events.begin(), events.end(), [kind](const PromptEvent& event) {
        return event.kind == kind;
    });
}

/// Prompts of words and a picture; their answer by words is there long before the picture's.
class EngineStreamingTest : public EngineTest {
protected:
    void SetUp() override {
        EngineTest::SetUp();
        add("red.png", solidImage(40, 40, 255, 0, 0));
        add("green.png", solidImage(40, 40, 0, 160, 0));
        ASSERT_EQ(indexed(*engine_).indexed, 2U);
    }
    static Prompt both() {
        Prompt prompt = words("red");
        prompt.image = ImageSource{solidImage(40, 40, 0, 160, 0), {}};
        return prompt;
    }
    void submit(PromptHandler handler) {
        const auto request = engine_->submit(both(), std::move(handler));
        ASSERT_TRUE(request) << request.error().message;
    }
};

TEST_F(EngineStreamingTest, S16EveryPromptHasItsWordsAnswerWhileItsPictureIsStillRead) {
    constexpr std::size_t kPromptCount = 100;
    pack_->control().imageGate.close();
    std::deque<PromptRecorder> recorders(kPromptCount);
    for (PromptRecorder& recorder : recorders) {
        submit(recorder.handler());
    }
    for (PromptRecorder& recorder : recorders) {
        EXPECT_EQ(names(recorder.firstOf(PromptEventKind::Partial)).front(), "red.png");
    }
    pack_->control().imageGate.open();
    for (PromptRecorder& recorder : recorders) {
        EXPECT_EQ(recorder.end().kind, PromptEventKind::Done);
    }
    engine_.reset();
    for (const PromptRecorder& recorder : recorders) {
        EXPECT_EQ(countOf(recorder.events(), PromptEventKind::Partial), 1);
        EXPECT_EQ(countOf(recorder.events(), PromptEventKind::Done), 1);
    }
}

TEST_F(EngineStreamingTest, S16ASubscriberThatDoesNotReturnHoldsNobodyUpAndLosesNothing) {
    constexpr std::size_t kPromptCount = 50;
    std::latch stuck(1);
    std::latch released(1);
    PromptRecorder slow;
    submit([&, record = slow.handler()](const PromptEvent& event) {
        if (event.kind == PromptEventKind::Accepted) {
            stuck.count_down();
            released.wait();
        }
        record(event);
    });
    stuck.wait();
    std::deque<PromptRecorder> recorders(kPromptCount);
    for (PromptRecorder& recorder : recorders) {
        submit(recorder.handler());
    }
    for (PromptRecorder& recorder : recorders) {
        EXPECT_EQ(recorder.end().kind, PromptEventKind::Done);
    }
    EXPECT_TRUE(slow.events().empty());
    released.count_down();

    EXPECT_EQ(slow.end().kind, PromptEventKind::Done);
    engine_.reset();
    EXPECT_EQ(slow.events().front().kind, PromptEventKind::Accepted);
    EXPECT_EQ(countOf(slow.events(), PromptEventKind::Done), 1);
}

}  // namespace
}  // namespace bifocal::test
