// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/inference/model_pack.h"
#include "tests/support/fake_pack.h"

#include <atomic>
#include <cstddef>
#include <memory>
#include <string>
#include <vector>

namespace bifocal::test {

/// A recogniser that hears what its test wrote: the clip's first sample, rounded, is an index into
/// the list of texts; an index outside it is silence. Threads: safe; the recognisers belong to one
/// executor each.
class FakeSpeechModel final : public SpeechModel {
public:
    explicit FakeSpeechModel(std::vector<std::string> texts);

    const PackInfo& info() const override { return info_; }
    Result<std::unique_ptr<SpeechRecognizer>> makeRecognizer() const override;

    /// Holds recognize() back.
    FakeGate& gate() const { return gate_; }
    /// Recognisers made so far.
    std::size_t recognizerCount() const { return recognizerCount_; }

    /// A clip that it hears as text `index`.
    static SpeechClip clip(std::size_t index);

private:
    PackInfo info_;
    std::vector<std::string> texts_;
    mutable FakeGate gate_;
    mutable std::atomic<std::size_t> recognizerCount_{0};
};

}  // namespace bifocal::test
