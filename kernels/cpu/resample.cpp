// SPDX-License-Identifier: Apache-2.0
#include "kernels/internal/resample.h"

#include "core/base/assert.h"

#include <algorithm>
#include <cmath>

namespace bifocal::kernels {
namespace {

double radiusOf(TapFilter filter) {
    switch (filter) {
        case TapFilter::Bilinear: return 1.0;
        case TapFilter::Bicubic: return 2.0;
        case TapFilter::Box: break;
    }
    return 0.5;
}

/// The filter's height at distance x; the cubic is Keys' with a = −0.5
/// (doi 10.1109/TASSP.1981.1163711).
double heightOf(TapFilter filter, double x) {
    constexpr double kA = -0.5;
    if (filter == TapFilter::Box) {
        return x > -0.5 && x <= 0.5 ? 1.0 : 0.0;
    }
    x = std::abs(x);
    if (filter == TapFilter::Bilinear) {
        return x < 1.0 ? 1.0 - x : 0.0;
    }
    if (x < 1.0) {
        return ((kA + 2.0) * x - (kA + 3.0)) * x * x + 1.0;
    }
    return x < 2.0 ? (((x - 5.0) * x + 8.0) * x - 4.0) * kA : 0.0;
}

std::int32_t toFixed(double weight) {
    const double scaled = weight * (1 << kWeightBits);
    return static_cast<std::int32_t>(scaled < 0.0 ? scaled - 0.5 : scaled + 0.5);
}

/// The window of one output: places [begin, begin + taps.size()), weights that sum to 1.
std::int64_t fillWindow(const AxisSpec& spec, std::int64_t output, std::vector<double>& taps) {
    const double scale = static_cast<double>(spec.virtualSize) / static_cast<double>(spec.outTotal);
    const double widening = std::max(scale, 1.0);  // antialiasing: no wider when enlarging
    const double radius = radiusOf(spec.filter) * widening;
    const double centre = (static_cast<double>(output) + 0.5) * scale;
    const auto nearest = [](double place) {
        return static_cast<std::int64_t>(std::floor(place + 0.5));
    };
    const auto begin = std::max<std::int64_t>(0, nearest(centre - radius));
    const auto end = std::min<std::int64_t>(spec.virtualSize, nearest(centre + radius));
    taps.resize(static_cast<std::size_t>(std::max<std::int64_t>(end - begin, 0)));
    const double narrowing = 1.0 / widening;
    double total = 0.0;
    std::int64_t place = begin;
    for (double& tap : taps) {
        tap = heightOf(spec.filter, (static_cast<double>(place) - centre + 0.5) * narrowing);
        total += tap;
        ++place;
    }
    if (total != 0.0) {
        std::for_each(taps.begin(), taps.end(), [=](double& tap) { tap /= total; });
    }
    return begin;
}

/// Appends the taps of one output that are pixels, and adds up those that are padding.
void appendTaps(const AxisSpec& spec,
                std::int64_t windowBegin,
                const std::vector<double>& taps,
                Axis& axis) {
    const auto places = static_cast<std::int64_t>(taps.size());
    const std::int64_t firstPixel = windowBegin - spec.padBefore;
    const std::int64_t begin = std::clamp<std::int64_t>(firstPixel, 0, spec.inSize);
    const std::int64_t end = std::clamp<std::int64_t>(firstPixel + places, begin, spec.inSize);
    const std::size_t groups =
        (static_cast<std::size_t>(end - begin) + kGroupTaps - 1) / kGroupTaps;
    const std::size_t base = axis.weights.size();
    axis.weights.resize(base + groups * kGroupNumbers, 0);
    std::int32_t padWeight = 0;
    for (std::int64_t i = 0; i < places; ++i) {
        const std::int32_t weight = toFixed(taps[static_cast<std::size_t>(i)]);
        const std::int64_t pixel = firstPixel + i;
        if (pixel < begin || pixel >= end) {
            padWeight += weight;
            continue;
        }
        const auto tap = static_cast<std::size_t>(pixel - begin);
        std::int16_t* group =
            axis.weights.data() + base + tap / kGroupTaps * kGroupNumbers + tap % kGroupTaps;
        group[0] = static_cast<std::int16_t>(weight >> kLowBits);
        group[kGroupTaps] = static_cast<std::int16_t>(weight & ((1 << kLowBits) - 1));
    }
    axis.spans.push_back({static_cast<std::int32_t>(begin),
                          static_cast<std::int32_t>(groups),
                          static_cast<std::int32_t>(base),
                          padWeight});
    axis.ends.push_back(static_cast<std::int32_t>(end));
    axis.maxGroups = std::max(axis.maxGroups, groups);
}

void planAxis(const AxisSpec& spec, std::vector<double>& taps, Axis& axis) {
    axis.spans.clear();
    axis.weights.clear();
    axis.ends.clear();
    axis.maxGroups = 0;
    axis.inFirst = spec.inSize;
    axis.inEnd = 0;
    for (int i = 0; i < spec.outCount; ++i) {
        appendTaps(spec, fillWindow(spec, spec.outFirst + i, taps), taps, axis);
        if (axis.spans.back().groups > 0) {
            axis.inFirst = std::min(axis.inFirst, axis.spans.back().first);
            axis.inEnd = std::max(axis.inEnd, axis.ends.back());
        }
    }
    axis.inFirst = std::min(axis.inFirst, axis.inEnd);  // no output needs a pixel
}

/// One resample under way. The ring holds the horizontal pass's last rows: row y at place
/// y mod ringRows. When rows up to `done` exist, every output whose window ends there has been
/// written, so the oldest row still needed is younger than done − window − kMaxRows.
class Resampler {
public:
    Resampler(const ResamplePath& path,
              const ResampleRequest& request,
              ResampleBuffers& buffers,
              const std::function<void(int, const std::uint8_t*)>& sink)
        : path_(path), request_(request), buffers_(buffers), sink_(sink) {}

    void run() {
        planAxis(request_.across, buffers_.taps, buffers_.across);
        planAxis(request_.down, buffers_.taps, buffers_.down);
        allocate();
        makePadRow();
        int done = buffers_.down.inFirst;
        writeOutputs(done);
        while (done < buffers_.down.inEnd) {
            const int count = std::min<int>(kMaxRows, buffers_.down.inEnd - done);
            passAcross(done, static_cast<std::size_t>(count));
            done += count;
            writeOutputs(done);
        }
        BIFOCAL_ASSERT(nextOutput_ == request_.down.outCount);
    }

private:
    void allocate() {
        // What lies behind a row is read by its last group of taps, and multiplied by zero.
        constexpr std::size_t kSlackBytes = kGroupTaps * kChannels;
        const auto columns =
            static_cast<std::size_t>(buffers_.across.inEnd - buffers_.across.inFirst);
        sourceBytes_ = columns * kChannels + kSlackBytes;
        buffers_.source.resize(sourceBytes_ * kMaxRows);
        rowBytes_ = static_cast<std::size_t>(request_.across.outCount) * kChannels;
        ringRows_ = buffers_.down.maxGroups * kGroupTaps + kMaxRows;
        buffers_.ring.resize(rowBytes_ * ringRows_);
        buffers_.padRow.resize(rowBytes_);
        buffers_.out.resize(rowBytes_);
        buffers_.start.resize(rowBytes_);
        buffers_.rows.resize(buffers_.down.maxGroups * kGroupTaps);
        for (TapSpan& span :
             buffers_.across.spans) {  // from the picture's columns to the scratch's
            span.first = std::max(0, span.first - buffers_.across.inFirst);
        }
    }

    std::uint8_t* ringRow(int y) {
        return buffers_.ring.data() + static_cast<std::size_t>(y) % ringRows_ * rowBytes_;
    }

    /// Rounding as in the passes: a row of background need not come out as background to the bit.
    void makePadRow() {
        const Axis& axis = buffers_.across;
        for (std::size_t x = 0; x < axis.spans.size(); ++x) {
            const TapSpan& span = axis.spans[x];
            std::int32_t total = span.padWeight;
            const std::int16_t* group = axis.weights.data() + span.weights;
            for (std::int32_t g = 0; g < span.groups; ++g, group += kGroupNumbers) {
                for (std::size_t tap = 0; tap < kGroupTaps; ++tap) {
                    total += group[tap] * (1 << kLowBits) + group[kGroupTaps + tap];
                }
            }
            for (std::size_t c = 0; c < kChannels; ++c) {
                const std::int32_t sum = request_.background[c] * total + (1 << (kWeightBits - 1));
                buffers_.padRow[x * kChannels + c] =
                    static_cast<std::uint8_t>(std::clamp(sum >> kWeightBits, 0, 255));
            }
        }
    }

    void passAcross(int y, std::size_t count) {
        HorizontalJob job{};
        const auto columns =
            static_cast<std::size_t>(buffers_.across.inEnd - buffers_.across.inFirst);
        for (std::size_t r = 0; r < count; ++r) {
            const std::uint8_t* from =
                request_.image.row(y + static_cast<int>(r)) +
                static_cast<std::size_t>(buffers_.across.inFirst) * kChannels;
            std::uint8_t* to = buffers_.source.data() + r * sourceBytes_;
            if (request_.alphaRule == AlphaRule::Premultiply) {
                path_.premultiply(from, to, columns);
            } else {
                path_.overBackground(from, to, columns, request_.background.data());
            }
            job.rows[r] = to;
            job.out[r] = ringRow(y + static_cast<int>(r));
        }
        job.rowCount = count;
        job.spans = buffers_.across.spans.data();
        job.weights = buffers_.across.weights.data();
        job.outCount = buffers_.across.spans.size();
        std::copy(request_.background.begin(), request_.background.end(), job.background);
        path_.horizontal(job);
    }

    void writeOutputs(int done) {
        const Axis& axis = buffers_.down;
        for (; nextOutput_ < request_.down.outCount; ++nextOutput_) {
            const auto index = static_cast<std::size_t>(nextOutput_);
            const TapSpan& span = axis.spans[index];
            if (span.groups > 0 && axis.ends[index] > done) {
                return;
            }
            setStart(span.padWeight);
            const auto rowCount = static_cast<std::size_t>(span.groups) * kGroupTaps;
            for (std::size_t tap = 0; tap < rowCount; ++tap) {
                const int y = span.first + static_cast<int>(tap);
                buffers_.rows[tap] = ringRow(std::min(y, axis.ends[index] - 1));
            }
            path_.vertical({buffers_.rows.data(),
                            static_cast<std::size_t>(span.groups),
                            axis.weights.data() + span.weights,
                            buffers_.start.data(),
                            buffers_.out.data(),
                            rowBytes_});
            sink_(nextOutput_, buffers_.out.data());
        }
    }

    void setStart(std::int32_t padWeight) {
        if (isStartSet_ && padWeight == startWeight_) {
            return;
        }
        for (std::size_t i = 0; i < rowBytes_; ++i) {
            buffers_.start[i] = (1 << (kWeightBits - 1)) + buffers_.padRow[i] * padWeight;
        }
        startWeight_ = padWeight;
        isStartSet_ = true;
    }

    const ResamplePath& path_;
    const ResampleRequest& request_;
    ResampleBuffers& buffers_;
    const std::function<void(int, const std::uint8_t*)>& sink_;
    std::size_t sourceBytes_ = 0;
    std::size_t rowBytes_ = 0;
    std::size_t ringRows_ = 0;
    int nextOutput_ = 0;
    std::int32_t startWeight_ = 0;
    bool isStartSet_ = false;
};

}  // namespace

void resample(Isa isa,
              const ResampleRequest& request,
              ResampleBuffers& buffers,
              const std::function<void(int y, const std::uint8_t* row)>& sink) {
    BIFOCAL_ASSERT(isa <= bestIsa());
    const ResamplePath& path = isa >= Isa::Avx2 ? kResampleAvx2 : kResamplePortable;
    Resampler(path, request, buffers, sink).run();
}

}  // namespace bifocal::kernels
