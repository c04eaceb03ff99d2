// SPDX-License-Identifier: Apache-2.0
#include "tests/support/fake_speech.h"

#include <cmath>
#include <utility>

namespace bifocal::test {
namespace {

/// Threads: lane(its executor). Owns: nothing; the model outlives it.
class FakeRecognizer final : public SpeechRecognizer {
public:
    FakeRecognizer(const std::vector<std::string>& texts, FakeGate& gate)
        : texts_(texts), gate_(gate) {}

    Result<RecognizedSpeech> recognize(std::span<const float> samples,
                                       const RecognizeOptions& options) override {
        if (!gate_.pass(options.stop)) {
            return Error{ErrorCode::Cancelled, "fake recogniser"};
        }
        const auto index = static_cast<std::size_t>(std::lround(samples.front()));
        RecognizedSpeech heard;
        if (index < texts_.size()) {
            heard.text = texts_[index];
            heard.tokenCount = 1;
        }
        if (options.partial && !heard.text.empty()) {
            options.partial(heard.text);
        }
        return heard;
    }

private:
    const std::vector<std::string>& texts_;
    FakeGate& gate_;
};

}  // namespace

FakeSpeechModel::FakeSpeechModel(std::vector<std::string> texts) : texts_(std::move(texts)) {
    info_.id = "fake-speech-1";
    info_.name = "Fake recogniser";
    info_.weightBytes = 1000;
}

Result<std::unique_ptr<SpeechRecognizer>> FakeSpeechModel::makeRecognizer() const {
    ++recognizerCount_;
    return std::unique_ptr<SpeechRecognizer>(std::make_unique<FakeRecognizer>(texts_, gate_));
}

SpeechClip FakeSpeechModel::clip(std::size_t index) {
    return {std::vector<float>(16, static_cast<float>(index))};
}

}  // namespace bifocal::test
