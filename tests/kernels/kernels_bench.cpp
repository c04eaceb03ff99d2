// SPDX-License-Identifier: Apache-2.0
// Figures of kernels/README.md; run by hand: ninja kernels_bench, then its one argument is the
// number of repetitions.
#include "kernels/dot_top_k.h"
#include "kernels/internal/isa.h"
#include "kernels/preprocess.h"
#include "kernels/read_bandwidth.h"

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <memory>
#include <random>
#include <vector>

#include <sys/mman.h>

namespace bifocal::kernels {
namespace {

template <typename Work>
double secondsOf(Work work) {
    const auto begin = std::chrono::steady_clock::now();
    work();
    return std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
}

double medianOf(std::vector<double> values) {
    std::sort(values.begin(), values.end());
    return values[values.size() / 2];
}

void benchDotTopK(std::size_t rowCount, int repetitions) {
    constexpr std::size_t kDim = 544;
    constexpr std::size_t kStride = 1088;
    constexpr std::size_t kHugePage = std::size_t{2} << 20U;
    const std::size_t bytes = rowCount * kStride;
    const std::size_t allocated = (bytes + kHugePage - 1) / kHugePage * kHugePage;
    const std::unique_ptr<void, decltype(&std::free)> memory(
        std::aligned_alloc(kHugePage, allocated), std::free);
    if (memory == nullptr) {
        std::printf("dot_top_k: no memory for %zu rows\n", rowCount);
        return;
    }
    madvise(memory.get(), allocated, MADV_HUGEPAGE);  // advice: a refusal costs speed, no more
    std::minstd_rand random(1);
    const auto number = [&] { return static_cast<float>(random() % 2001) / 1000.0F - 1.0F; };
    std::generate_n(
        static_cast<Half*>(memory.get()), rowCount * kDim, [&] { return toHalf(number()); });
    std::vector<float> query(kDim);
    std::generate(query.begin(), query.end(), number);
    const std::vector<std::uint64_t> filter((rowCount + 63) / 64, ~std::uint64_t{0});
    std::vector<RowScore> best(50);
    const auto* data = static_cast<const std::byte*>(memory.get());
    std::vector<double> reads;
    std::vector<double> searches;
    for (int i = 0; i < repetitions; ++i) {
        reads.push_back(measureReadBandwidth({data, bytes}));
        const double seconds = secondsOf([&] {
            if (!dotTopK({data, rowCount, kStride, kDim}, query, filter, best)) {
                std::abort();
            }
        });
        searches.push_back(static_cast<double>(bytes) / seconds / 1e9);
    }
    std::printf("dot_top_k %zu rows: %.2f ms, %.1f GB/s, read %.1f GB/s, ratio %.3f\n",
                rowCount,
                static_cast<double>(bytes) / medianOf(searches) / 1e6,
                medianOf(searches),
                medianOf(reads),
                medianOf(searches) / medianOf(reads));
}

void benchPreprocess(int width, int height, int repetitions) {
    ImageBuffer image{width, height, {}};
    image.rgba.resize(static_cast<std::size_t>(width) * static_cast<std::size_t>(height) * 4);
    std::minstd_rand random(2);
    std::generate(image.rgba.begin(), image.rgba.end(), [&] {
        return static_cast<std::uint8_t>(random() >> 8U);
    });
    PreprocessSpec spec;
    PreprocessWorkspace workspace;
    std::vector<float> out(std::size_t{3} * 224 * 224);
    std::vector<double> seconds;
    for (int i = 0; i < repetitions; ++i) {
        seconds.push_back(secondsOf([&] {
            if (!preprocess(image.view(), spec, workspace, out)) {
                std::abort();
            }
        }));
    }
    std::printf("preprocess %dx%d: %.2f ms\n", width, height, medianOf(seconds) * 1e3);
}

}  // namespace
}  // namespace bifocal::kernels

int main(int argumentCount, char** arguments) {
    using namespace bifocal::kernels;  // NOLINT: a program of this module
    const int repetitions = argumentCount > 1 ? std::max(1, std::atoi(arguments[1])) : 15;
    std::printf("path: %s\n", toString(activeIsa()));
    benchDotTopK(100'000, repetitions);
    benchDotTopK(1'000'000, repetitions);
    benchPreprocess(4000, 3000, repetitions);
    benchPreprocess(640, 480, repetitions);
    return 0;
}
