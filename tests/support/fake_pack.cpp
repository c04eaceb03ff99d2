// SPDX-License-Identifier: Apache-2.0
#include "tests/support/fake_pack.h"

#include "core/inference/query.h"
#include "kernels/colours.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <utility>

namespace bifocal::test {
namespace {

constexpr std::size_t kWords = 16;
constexpr std::size_t kLooks = 16;
constexpr std::size_t kDim = kWords + kLooks;
constexpr std::size_t kMaxWords = 128;
constexpr int kGrid = 4;

using Rgb = std::array<int, 3>;
constexpr std::array<Rgb, kernels::kColourCount> kReference{{{0, 0, 0},
                                                             {255, 255, 255},
                                                             {128, 128, 128},
                                                             {220, 20, 20},
                                                             {255, 140, 0},
                                                             {250, 230, 20},
                                                             {20, 160, 40},
                                                             {20, 40, 220},
                                                             {130, 20, 160},
                                                             {250, 130, 190},
                                                             {110, 60, 20}}};

Rgb overWhite(const std::uint8_t* pixel) {
    Rgb out{};
    for (std::size_t c = 0; c < 3; ++c) {
        out[c] = (pixel[c] * pixel[3] + 255 * (255 - pixel[3]) + 127) / 255;
    }
    return out;
}

std::size_t nearestColour(const Rgb& rgb) {
    std::size_t best = 0;
    int bestDistance = std::numeric_limits<int>::max();
    for (std::size_t i = 0; i < kReference.size(); ++i) {
        int distance = 0;
        for (std::size_t c = 0; c < 3; ++c) {
            const int d = rgb[c] - kReference[i][c];
            distance += d * d;
        }
        if (distance < bestDistance) {
            bestDistance = distance;
            best = i;
        }
    }
    return best;
}

void normalize(std::span<float> values) {
    double sum = 0;
    for (const float v : values) {
        sum += static_cast<double>(v) * static_cast<double>(v);
    }
    if (sum > 0) {
        for (float& v : values) {
            v = static_cast<float>(v / std::sqrt(sum));
        }
    }
}

/// Sums over the pixels of a picture.
struct Statistics {
    std::array<double, kernels::kColourCount> shares{};
    std::array<double, kGrid * kGrid> luminance{};
    std::array<double, kGrid * kGrid> counts{};
    double brightness = 0;
};

Statistics statisticsOf(ImageView image) {
    Statistics s;
    const double pixelCount = static_cast<double>(image.width) * image.height;
    for (int y = 0; y < image.height; ++y) {
        const std::uint8_t* row = image.row(y);
        for (int x = 0; x < image.width; ++x) {
            const Rgb rgb = overWhite(row + 4 * static_cast<std::ptrdiff_t>(x));
            s.shares[nearestColour(rgb)] += 1 / pixelCount;
            const double light = (0.299 * rgb[0] + 0.587 * rgb[1] + 0.114 * rgb[2]) / 255;
            const auto cell = static_cast<std::size_t>(y * kGrid / image.height * kGrid +
                                                       x * kGrid / image.width);
            s.luminance[cell] += light;
            s.counts[cell] += 1;
            s.brightness += light / pixelCount;
        }
    }
    return s;
}

std::vector<std::string> wordsOf(std::string_view text) {
    std::vector<std::string> words;
    bool inside = false;
    for (const char raw : text) {
        const bool upper = raw >= 'A' && raw <= 'Z';
        const char c = upper ? static_cast<char>(raw - 'A' + 'a') : raw;
        const bool isWord = (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || (c & 0x80) != 0;
        if (isWord && !inside) {
            words.emplace_back();
        }
        if (isWord) {
            words.back() += c;
        }
        inside = isWord;
    }
    return words;
}

std::uint32_t hashOf(const std::string& word) {
    std::uint32_t hash = 2'166'136'261U;
    for (const char c : word) {
        hash = (hash ^ static_cast<std::uint8_t>(c)) * 16'777'619U;
    }
    return hash;
}

bool isLatin(std::string_view text) {
    const std::vector<Script> scripts = scriptsOf(std::string(text));
    return scripts.empty() ||
           std::find(scripts.begin(), scripts.end(), Script::Latin) != scripts.end();
}

Error fakeFault() {
    return {ErrorCode::Internal, "fake fault"};
}

PackInfo makeInfo(std::string id) {
    PackInfo info;
    info.id = std::move(id);
    info.name = "Fake pack";
    info.licence = "Apache-2.0";
    info.device = "cpu";
    info.deviceWhy = "arithmetic needs no device";
    info.precision = "fp32";
    info.layout = {kDim,
                   2 * kDim,
                   {{"words", 0, kWords, Lens::Words}, {"looks", kWords, kLooks, Lens::Looks}}};
    info.scripts = {Script::Latin};
    return info;
}

}  // namespace

void FakeGate::close() {
    const std::lock_guard lock(mutex_);
    isOpen_ = false;
}

void FakeGate::open() {
    {
        const std::lock_guard lock(mutex_);
        isOpen_ = true;
    }
    changed_.notify_all();
}

bool FakeGate::pass(std::stop_token stop) {
    std::unique_lock lock(mutex_);
    ++heldCount_;
    changed_.notify_all();
    const bool opened = changed_.wait(lock, std::move(stop), [this] { return isOpen_; });
    --heldCount_;
    return opened;
}

void FakeGate::awaitHeld(std::size_t count) {
    std::unique_lock lock(mutex_);
    changed_.wait(lock, [&] { return !isOpen_ && heldCount_ >= count; });
}

void FakeControl::setImageFault(FakeFault fault) {
    const std::lock_guard lock(mutex_);
    imageFault_ = fault;
}

void FakeControl::setTextFault(FakeFault fault) {
    const std::lock_guard lock(mutex_);
    textFault_ = fault;
}

FakeFault FakeControl::imageFault() const {
    const std::lock_guard lock(mutex_);
    return imageFault_;
}

FakeFault FakeControl::textFault() const {
    const std::lock_guard lock(mutex_);
    return textFault_;
}

std::vector<std::size_t> FakeControl::imageBatches() const {
    const std::lock_guard lock(mutex_);
    return imageBatches_;
}

std::vector<std::string> FakeControl::texts() const {
    const std::lock_guard lock(mutex_);
    return texts_;
}

std::size_t FakeControl::imageEncoderCount() const {
    const std::lock_guard lock(mutex_);
    return imageEncoderCount_;
}

std::size_t FakeControl::textEncoderCount() const {
    const std::lock_guard lock(mutex_);
    return textEncoderCount_;
}

/// Threads: lane(its executor).
class FakeImageEncoder final : public ImageEncoder {
public:
    FakeImageEncoder(std::shared_ptr<FakeControl> control, std::size_t preferredBatch)
        : control_(std::move(control)), preferredBatch_(preferredBatch) {}

    std::size_t preferredBatch() const override { return preferredBatch_; }

    Result<void> encode(std::span<const ImageView> images,
                        std::span<float> rows,
                        std::stop_token stop) override {
        BIFOCAL_ASSERT(rows.size() == images.size() * kDim);
        {
            const std::lock_guard lock(control_->mutex_);
            control_->imageBatches_.push_back(images.size());
        }
        if (!control_->imageGate.pass(stop) || stop.stop_requested()) {
            return Error{ErrorCode::Cancelled, "encode image"};
        }
        const FakeFault fault = control_->imageFault();
        if (fault == FakeFault::Fail) {
            return fakeFault();
        }
        for (std::size_t i = 0; i < images.size(); ++i) {
            if (images[i].isEmpty()) {
                return Error{ErrorCode::InvalidArgument, "empty picture"};
            }
            const std::vector<float> row = FakePack::imageRow(images[i]);
            std::copy(row.begin(), row.end(), rows.begin() + static_cast<std::ptrdiff_t>(i * kDim));
        }
        if (fault == FakeFault::NotFinite) {
            std::fill(rows.begin(), rows.end(), std::numeric_limits<float>::quiet_NaN());
        }
        return {};
    }

private:
    std::shared_ptr<FakeControl> control_;
    std::size_t preferredBatch_;
};

/// Threads: lane(its executor).
class FakeTextEncoder final : public TextEncoder {
public:
    explicit FakeTextEncoder(std::shared_ptr<FakeControl> control) : control_(std::move(control)) {}

    Result<EncodedText> encode(std::string_view text, std::stop_token stop) override {
        {
            const std::lock_guard lock(control_->mutex_);
            control_->texts_.emplace_back(text);
        }
        if (!control_->textGate.pass(stop) || stop.stop_requested()) {
            return Error{ErrorCode::Cancelled, "encode text"};
        }
        const FakeFault fault = control_->textFault();
        if (fault == FakeFault::Fail) {
            return fakeFault();
        }
        if (!isLatin(text)) {
            return Error{ErrorCode::Unsupported, "the pack reads Latin letters only"};
        }
        EncodedText out{FakePack::textRow(text), wordsOf(text).size() > kMaxWords};
        if (fault == FakeFault::NotFinite) {
            std::fill(out.row.begin(), out.row.end(), std::numeric_limits<float>::quiet_NaN());
        }
        return out;
    }

private:
    std::shared_ptr<FakeControl> control_;
};

FakePack::FakePack(std::string id, std::size_t preferredBatch)
    : info_(makeInfo(std::move(id))),
      preferredBatch_(preferredBatch),
      control_(std::make_shared<FakeControl>()) {}

Result<std::unique_ptr<ImageEncoder>> FakePack::makeImageEncoder(EncoderOptions /*options*/) const {
    const std::lock_guard lock(control_->mutex_);
    ++control_->imageEncoderCount_;
    return std::unique_ptr<ImageEncoder>(
        std::make_unique<FakeImageEncoder>(control_, preferredBatch_));
}

Result<std::unique_ptr<TextEncoder>> FakePack::makeTextEncoder(EncoderOptions /*options*/) const {
    const std::lock_guard lock(control_->mutex_);
    ++control_->textEncoderCount_;
    return std::unique_ptr<TextEncoder>(std::make_unique<FakeTextEncoder>(control_));
}

Result<std::vector<float>> FakePack::makeQuery(const QueryParts& parts) const {
    return foldQuery(info_.layout, parts);
}

std::vector<float> FakePack::imageRow(ImageView image) {
    const Statistics s = statisticsOf(image);
    std::vector<float> row(kDim, 0.0F);
    const std::span<float> words(row.data(), kWords);
    for (std::size_t i = 0; i < s.shares.size(); ++i) {
        words[i] = static_cast<float>(std::sqrt(s.shares[i]));
    }
    const double aspect =
        static_cast<double>(image.width) / static_cast<double>(image.width + image.height);
    for (std::size_t i = kernels::kColourCount; i < kWords; ++i) {
        words[i] =
            static_cast<float>(0.1 * std::sin(static_cast<double>(i) * (s.brightness + aspect)));
    }
    normalize(words);
    const std::span<float> looks(row.data() + kWords, kLooks);
    const auto dominant = static_cast<std::size_t>(
        std::max_element(s.shares.begin(), s.shares.end()) - s.shares.begin());
    for (std::size_t cell = 0; cell < looks.size(); ++cell) {
        const double light = s.counts[cell] > 0 ? s.luminance[cell] / s.counts[cell] : s.brightness;
        looks[cell] = static_cast<float>(light - s.brightness);
    }
    looks[dominant] += 0.05F;
    normalize(looks);
    return row;
}

std::vector<float> FakePack::textRow(std::string_view text) {
    std::vector<float> row(kDim, 0.0F);
    std::vector<std::string> words = wordsOf(text);
    words.resize(std::min(words.size(), kMaxWords));
    for (const std::string& word : words) {
        const std::string name = word == "gray" ? "grey" : word;
        const auto colour =
            std::find(kernels::kColourNames.begin(), kernels::kColourNames.end(), name);
        if (colour != kernels::kColourNames.end()) {
            row[static_cast<std::size_t>(colour - kernels::kColourNames.begin())] += 1;
        } else {
            row[kernels::kColourCount + hashOf(word) % (kWords - kernels::kColourCount)] += 0.5F;
        }
    }
    normalize(std::span(row).first(kWords));
    return row;
}

PackLoader fakeLoader(std::shared_ptr<const FakePack> pack) {
    return
        [pack = std::move(pack)](
            const std::filesystem::path& /*folder*/) -> Result<std::shared_ptr<const ModelPack>> {
            return std::shared_ptr<const ModelPack>(pack);
        };
}

ImageBuffer solidImage(int width,
                       int height,
                       std::uint8_t red,
                       std::uint8_t green,
                       std::uint8_t blue,
                       std::uint8_t alpha) {
    ImageBuffer image{width, height, {}};
    image.rgba.reserve(static_cast<std::size_t>(width) * static_cast<std::size_t>(height) * 4);
    for (std::size_t i = 0; i < static_cast<std::size_t>(width) * static_cast<std::size_t>(height);
         ++i) {
        image.rgba.insert(image.rgba.end(), {red, green, blue, alpha});
    }
    return image;
}

}  // namespace bifocal::test
