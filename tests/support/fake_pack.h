// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/inference/model_pack.h"

#include <condition_variable>
#include <cstddef>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

namespace bifocal::test {

/// Holds callers back until a test lets them go: the way to make "it is running now" a fact.
/// Threads: safe.
class FakeGate {
public:
    void close();
    void open();

    /// Waits while closed; false when `stop` was requested before it opened.
    bool pass(std::stop_token stop);

    /// Waits until `count` callers are held at once.
    void awaitHeld(std::size_t count);

private:
    std::mutex mutex_;
    std::condition_variable_any changed_;
    bool isOpen_ = true;
    std::size_t heldCount_ = 0;
};

/// What a fake encoder does instead of answering.
enum class FakeFault : std::uint8_t {
    None = 1,
    Fail,       ///< Internal, "fake fault"
    NotFinite,  ///< success, but every row is NaN
};

/// State shared by a FakePack and its encoders. Threads: safe.
struct FakeControl {
    FakeGate imageGate;
    FakeGate textGate;

    void setImageFault(FakeFault fault);
    void setTextFault(FakeFault fault);
    FakeFault imageFault() const;
    FakeFault textFault() const;

    /// Sizes of the image batches encoded so far, and the texts, in order of arrival.
    std::vector<std::size_t> imageBatches() const;
    std::vector<std::string> texts() const;
    /// Encoders made so far.
    std::size_t imageEncoderCount() const;
    std::size_t textEncoderCount() const;

private:
    friend class FakeImageEncoder;
    friend class FakeTextEncoder;
    friend class FakePack;

    mutable std::mutex mutex_;
    FakeFault imageFault_ = FakeFault::None;
    FakeFault textFault_ = FakeFault::None;
    std::vector<std::size_t> imageBatches_;
    std::vector<std::string> texts_;
    std::size_t imageEncoderCount_ = 0;
    std::size_t textEncoderCount_ = 0;
};

/// A ModelPack that is arithmetic only: deterministic, instant, no LibTorch.
/// Rows: words 16 + looks 16, stride 64 bytes. An image's words block holds the square roots of
/// its colour shares in the order of kernels::kColourNames (the nearest of eleven reference
/// colours, over white) and 5 small numbers of its brightness and shape; its looks block is a 4 × 4
/// grid of luminance minus its mean plus a trace of the dominant colour. A text's words block
/// points at the colours it names, and at one of the last 5 numbers for any other word (by hash).
/// So "red" finds red pictures and a picture finds itself. Latin only, like the starter pack; texts
/// of more than 128 words are truncated. makeQuery is foldQuery.
/// Threads: safe; the encoders belong to one executor each.
class FakePack final : public ModelPack {
public:
    explicit FakePack(std::string id = "fake-1", std::size_t preferredBatch = 8);

    FakeControl& control() const { return *control_; }

    const PackInfo& info() const override { return info_; }
    Result<std::unique_ptr<ImageEncoder>> makeImageEncoder(EncoderOptions options) const override;
    Result<std::unique_ptr<TextEncoder>> makeTextEncoder(EncoderOptions options) const override;
    Result<std::vector<float>> makeQuery(const QueryParts& parts) const override;

    /// The rows the encoders would give, without an encoder.
    static std::vector<float> imageRow(ImageView image);
    static std::vector<float> textRow(std::string_view text);

private:
    PackInfo info_;
    std::size_t preferredBatch_;
    std::shared_ptr<FakeControl> control_;
};

/// A loader that gives `pack` whatever the folder.
PackLoader fakeLoader(std::shared_ptr<const FakePack> pack);

/// width × height pixels of one colour; a picture to prompt with.
ImageBuffer solidImage(int width,
                       int height,
                       std::uint8_t red,
                       std::uint8_t green,
                       std::uint8_t blue,
                       std::uint8_t alpha = 255);

}  // namespace bifocal::test
