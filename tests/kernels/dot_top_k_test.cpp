// SPDX-License-Identifier: Apache-2.0
#include "kernels/dot_top_k.h"

#include "kernels/internal/dot_top_k_on.h"
#include "tests/kernels/guarded.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <limits>
#include <optional>
#include <random>
#include <set>
#include <string>

namespace bifocal::kernels {
namespace {

constexpr float kInfinity = std::numeric_limits<float>::infinity();
constexpr float kNaN = std::numeric_limits<float>::quiet_NaN();

/// Rows with the given numbers; what lies between dim and the stride is NaN, which no score may
/// see.
class Rows {
public:
    Rows(std::size_t rowCount,
         std::size_t dim,
         const std::function<float(std::size_t row, std::size_t i)>& number,
         std::size_t extraStride = 0)
        : stride_((dim * sizeof(Half) + 63) / 64 * 64 + extraStride),
          halves_(rowCount * stride_ / sizeof(Half)) {
        std::fill(halves_.span().begin(), halves_.span().end(), Half{0x7E00});
        view_ = {reinterpret_cast<const std::byte*>(halves_.data()), rowCount, stride_, dim};
        for (std::size_t r = 0; r < rowCount; ++r) {
            for (std::size_t i = 0; i < dim; ++i) {
                at(r)[i] = toHalf(number(r, i));
            }
        }
    }

    const HalfRows& view() const { return view_; }
    Half* at(std::size_t row) { return halves_.data() + row * stride_ / sizeof(Half); }
    bool areBandsIntact() const { return halves_.areBandsIntact(); }

private:
    std::size_t stride_;
    Guarded<Half> halves_;
    HalfRows view_;
};

struct Exact {
    double score = 0;
    double bound = 0;  ///< how far FP32 sums in any order may be from it
};

Exact exactScore(Rows& rows, std::size_t row, std::span<const float> query) {
    Exact exact;
    double magnitude = 0;
    for (std::size_t i = 0; i < query.size(); ++i) {
        const double product = double{toFloat(rows.at(row)[i])} * double{query[i]};
        exact.score += product;
        magnitude += std::abs(product);
    }
    exact.bound = static_cast<double>(query.size()) * 0x1p-24 * magnitude + 1e-37;
    return exact;
}

bool passes(std::span<const std::uint64_t> filter, std::size_t row) {
    return filter.empty() || ((filter[row / 64] >> (row % 64)) & 1U) != 0;
}

/// Compares a result with the plain definition: values within the bound of an FP32 sum, swaps only
/// among values that close, no row twice, none that the filter or a non-finite score rules out.
void expectTopK(Rows& rows,
                std::span<const float> query,
                std::span<const std::uint64_t> filter,
                std::span<const RowScore> best,
                const TopKResult& result,
                std::uint32_t firstRow) {
    std::vector<Exact> candidates;
    ScoreMoments moments;
    double widest = 0;
    for (std::size_t r = 0; r < rows.view().rowCount; ++r) {
        const Exact exact = exactScore(rows, r, query);
        if (passes(filter, r) && std::isfinite(exact.score)) {
            candidates.push_back(exact);
            moments.add({1, exact.score, exact.score * exact.score});
            widest = std::max(widest, exact.bound);
        }
    }
    std::sort(candidates.begin(), candidates.end(), [](const Exact& a, const Exact& b) {
        return a.score > b.score;
    });
    ASSERT_EQ(result.count, std::min(best.size(), candidates.size()));
    ASSERT_EQ(result.moments.count, moments.count);
    const double n = static_cast<double>(moments.count) + 1;
    EXPECT_NEAR(result.moments.sum, moments.sum, n * (widest + 1e-12));
    EXPECT_NEAR(result.moments.sumOfSquares,
                moments.sumOfSquares,
                1e-5 * moments.sumOfSquares + n * (widest + 1e-12));
    std::set<std::uint32_t> seen;
    for (std::size_t i = 0; i < result.count; ++i) {
        const std::size_t row = best[i].row - firstRow;
        ASSERT_LT(row, rows.view().rowCount);
        EXPECT_TRUE(seen.insert(best[i].row).second) << "row " << row << " twice";
        EXPECT_TRUE(passes(filter, row));
        const Exact exact = exactScore(rows, row, query);
        EXPECT_NEAR(best[i].score, exact.score, exact.bound);
        EXPECT_NEAR(best[i].score, candidates[i].score, exact.bound + candidates[i].bound);
        if (i > 0) {
            EXPECT_TRUE(best[i - 1].score > best[i].score ||
                        (best[i - 1].score == best[i].score && best[i - 1].row < best[i].row));
        }
    }
}

struct Case {
    std::size_t rowCount;
    std::size_t dim;
    std::size_t k;
    std::size_t extraStride;
    unsigned seed;
};

void runCase(Isa isa, const Case& c, std::span<const std::uint64_t> filter) {
    SCOPED_TRACE(std::string(toString(isa)) + " rows " + std::to_string(c.rowCount) + " dim " +
                 std::to_string(c.dim) + " k " + std::to_string(c.k) + " stride +" +
                 std::to_string(c.extraStride) + " seed " + std::to_string(c.seed));
    std::mt19937 random(c.seed);
    std::uniform_real_distribution<float> uniform(-1.0F, 1.0F);
    Rows rows(
        c.rowCount,
        c.dim,
        [&](std::size_t, std::size_t) { return uniform(random); },
        c.extraStride);
    std::vector<float> query(c.dim);
    std::generate(query.begin(), query.end(), [&] { return uniform(random); });
    Guarded<RowScore> best(c.k);
    const auto result = dotTopKOn(isa, rows.view(), query, filter, best.span(), 7);
    ASSERT_TRUE(result) << result.error().message;
    expectTopK(rows, query, filter, best.span(), *result, 7);
    EXPECT_TRUE(best.areBandsIntact());
    EXPECT_TRUE(rows.areBandsIntact());

    Guarded<RowScore> again(c.k);
    const auto second = dotTopKOn(isa, rows.view(), query, filter, again.span(), 7);
    ASSERT_TRUE(second);
    EXPECT_TRUE(std::equal(best.data(), best.data() + result->count, again.data()));
    EXPECT_EQ(result->moments.sum, second->moments.sum);
    EXPECT_EQ(result->moments.sumOfSquares, second->moments.sumOfSquares);
}

TEST(DotTopK, HandWorked) {
    for (const Isa isa : availableIsas()) {
        const float numbers[4][2] = {{1, 2}, {3, -1}, {0.5F, 0.25F}, {-2, 4}};
        Rows rows(4, 2, [&](std::size_t r, std::size_t i) { return numbers[r][i]; });
        const std::array<float, 2> query{2.0F, 0.5F};
        std::array<RowScore, 3> best{};
        const auto result = dotTopKOn(isa, rows.view(), query, {}, best, 100);
        ASSERT_TRUE(result);
        EXPECT_EQ(result->count, 3U);
        EXPECT_EQ(best[0], (RowScore{5.5F, 101}));
        EXPECT_EQ(best[1], (RowScore{3.0F, 100}));
        EXPECT_EQ(best[2], (RowScore{1.125F, 102}));
        EXPECT_EQ(result->moments.count, 4U);
        EXPECT_EQ(result->moments.sum, 7.625);
        EXPECT_EQ(result->moments.sumOfSquares, 30.25 + 9.0 + 1.265625 + 4.0);
        EXPECT_EQ(result->moments.mean(), 7.625 / 4);
        EXPECT_NEAR(result->moments.variance(), 44.515625 / 4 - 1.90625 * 1.90625, 1e-12);
    }
}

TEST(DotTopK, EveryRowCount) {
    for (const Isa isa : availableIsas()) {
        for (const std::size_t size : kEdgeSizes) {
            runCase(isa, {size, 48, 10, 0, 3000U + static_cast<unsigned>(size)}, {});
        }
    }
}

TEST(DotTopK, EveryDim) {
    for (const Isa isa : availableIsas()) {
        for (const std::size_t size : kEdgeSizes) {
            runCase(isa, {21, size, 5, 64, 4000U + static_cast<unsigned>(size)}, {});
        }
        for (std::size_t dim = 1; dim < 70; ++dim) {
            runCase(isa, {9, dim, 9, 128, 4500U + static_cast<unsigned>(dim)}, {});
        }
    }
}

TEST(DotTopK, EveryK) {
    for (const Isa isa : availableIsas()) {
        for (const std::size_t k : {0, 1, 2, 50, 299, 300, 301, 5000}) {
            runCase(isa, {300, 33, k, 0, 5000U + static_cast<unsigned>(k)}, {});
        }
    }
}

TEST(DotTopK, Filters) {
    constexpr std::size_t kRowCount = 4500;
    constexpr std::size_t kWords = (kRowCount + 63) / 64;
    for (const Isa isa : availableIsas()) {
        for (unsigned density = 0; density <= 4; ++density) {
            std::mt19937_64 random(6000 + density);
            std::vector<std::uint64_t> filter(kWords);
            for (std::uint64_t& word : filter) {
                // 0: none, 1: an eighth, 2: half, 3: all but an eighth, 4: all, and bits behind
                // them.
                const std::uint64_t few = random() & random() & random();
                const std::uint64_t half = random();
                word = std::array{std::uint64_t{0}, few, half, ~few, ~std::uint64_t{0}}.at(density);
            }
            if (density == 0) {
                filter.back() = ~std::uint64_t{0} << (kRowCount % 64);  // no row has these bits
            }
            runCase(isa, {kRowCount, 40, 20, 0, 6100 + density}, filter);
        }
    }
}

TEST(DotTopK, EqualScoresRankByRowNumber) {
    for (const Isa isa : availableIsas()) {
        // Three levels, each many times: the answer is known to the bit.
        Rows rows(3000, 16, [](std::size_t r, std::size_t) { return static_cast<float>(r % 3); });
        const std::vector<float> query(16, 0.5F);
        std::vector<RowScore> best(1500);
        ASSERT_TRUE(dotTopKOn(isa, rows.view(), query, {}, best));
        for (std::uint32_t i = 0; i < 1500; ++i) {
            const RowScore expected =
                i < 1000 ? RowScore{16.0F, 3 * i + 2} : RowScore{8.0F, 3 * (i - 1000) + 1};
            ASSERT_EQ(best[i], expected) << toString(isa) << " " << i;
        }
    }
}

TEST(DotTopK, RowsWithoutAFiniteScoreAreNotThere) {
    for (const Isa isa : availableIsas()) {
        Rows rows(200, 35, [](std::size_t r, std::size_t i) {
            if (i == r % 35 && r % 4 != 0) {
                return std::array{0.0F, kNaN, kInfinity, -kInfinity}.at(r % 4);
            }
            return static_cast<float>(r) / 256.0F;
        });
        const std::vector<float> query(35, 1.0F);
        std::vector<RowScore> best(60);
        const auto result = dotTopKOn(isa, rows.view(), query, {}, best);
        ASSERT_TRUE(result);
        ASSERT_EQ(result->count, 50U);
        EXPECT_EQ(result->moments.count, 50U);
        EXPECT_TRUE(std::isfinite(result->moments.sum));
        EXPECT_TRUE(std::isfinite(result->moments.sumOfSquares));
        for (std::uint32_t i = 0; i < 50; ++i) {
            EXPECT_EQ(best[i].row, 196 - 4 * i) << toString(isa);
        }
    }
}

TEST(DotTopK, QueryWithoutAFiniteNumberFindsNothing) {
    for (const Isa isa : availableIsas()) {
        Rows rows(70, 20, [](std::size_t, std::size_t) { return 1.0F; });
        std::vector<float> query(20, 1.0F);
        query[19] = kNaN;
        std::vector<RowScore> best(5);
        const auto result = dotTopKOn(isa, rows.view(), query, {}, best);
        ASSERT_TRUE(result);
        EXPECT_EQ(result->count, 0U);
        EXPECT_EQ(result->moments.count, 0U);
        EXPECT_EQ(result->moments.mean(), 0.0);
        EXPECT_EQ(result->moments.variance(), 0.0);
    }
}

TEST(DotTopK, SubnormalHalvesCount) {
    for (const Isa isa : availableIsas()) {
        Rows rows(40, 8, [](std::size_t r, std::size_t) {
            return static_cast<float>(r) * 0x1p-24F;  // multiples of the smallest half
        });
        const std::vector<float> query(8, 0x1p20F);
        std::vector<RowScore> best(1);
        ASSERT_TRUE(dotTopKOn(isa, rows.view(), query, {}, best));
        EXPECT_EQ(best[0], (RowScore{39.0F * 8 / 16, 39})) << toString(isa);
    }
}

TEST(DotTopK, ExtremeRange) {
    for (const Isa isa : availableIsas()) {
        Rows rows(
            33, 17, [](std::size_t r, std::size_t) { return r % 2 == 0 ? 65504.0F : -65504.0F; });
        std::vector<float> query(17, 1e30F);
        std::vector<RowScore> best(33);
        const auto result = dotTopKOn(isa, rows.view(), query, {}, best);
        ASSERT_TRUE(result);
        EXPECT_EQ(result->count, 33U);
        query.assign(17, 1e37F);  // every score overflows
        const auto none = dotTopKOn(isa, rows.view(), query, {}, best);
        ASSERT_TRUE(none);
        EXPECT_EQ(none->count, 0U);
    }
}

TEST(DotTopK, ARowScoresTheSameWhereverItLies) {
    for (const Isa isa : availableIsas()) {
        std::mt19937 random(7000);
        std::uniform_real_distribution<float> uniform(-1.0F, 1.0F);
        std::vector<float> numbers(45);
        std::vector<float> query(45);
        std::generate(numbers.begin(), numbers.end(), [&] { return uniform(random); });
        std::generate(query.begin(), query.end(), [&] { return uniform(random); });
        Rows rows(2055, 45, [&](std::size_t, std::size_t i) { return numbers[i]; });
        std::vector<RowScore> best(2055);
        ASSERT_TRUE(dotTopKOn(isa, rows.view(), query, {}, best));
        for (std::uint32_t i = 0; i < best.size(); ++i) {
            ASSERT_EQ(best[i], (RowScore{best[0].score, i})) << toString(isa);
        }
        EXPECT_EQ(dotOn(isa, {rows.at(3), 45}, query), best[0].score) << toString(isa);
    }
}

TEST(DotTopK, DotReadsNothingBehindItsSpan) {
    for (const Isa isa : availableIsas()) {
        for (std::size_t dim = 0; dim < 70; ++dim) {
            const std::vector<Half> row(dim, toHalf(0.5F));  // a sanitizer sees its end
            const std::vector<float> query(dim, 2.0F);
            EXPECT_EQ(dotOn(isa, row, query), static_cast<float>(dim)) << toString(isa);
        }
    }
    const std::array<Half, 2> row{toHalf(3.0F), toHalf(4.0F)};
    EXPECT_EQ(dot(row, std::array<float, 2>{1.0F, 0.5F}), 5.0F);
}

TEST(DotTopK, RefusesWhatDoesNotFit) {
    Rows rows(70, 20, [](std::size_t, std::size_t) { return 1.0F; });
    const std::vector<float> query(20, 1.0F);
    std::vector<RowScore> best(5);
    const auto codeOf = [&](HalfRows view,
                            std::span<const float> q,
                            std::span<const std::uint64_t> filter,
                            std::uint32_t firstRow) {
        const auto result = dotTopK(view, q, filter, best, firstRow);
        return result ? std::optional<ErrorCode>() : result.error().code;
    };
    const HalfRows good = rows.view();
    const std::array<std::uint64_t, 2> filter{1, 1};
    EXPECT_EQ(codeOf(good, query, filter, 0), std::nullopt);
    EXPECT_EQ(codeOf(good, std::span(query).first(19), {}, 0), ErrorCode::InvalidArgument);
    EXPECT_EQ(codeOf(good, query, std::span(filter).first(1), 0), ErrorCode::InvalidArgument);
    EXPECT_EQ(codeOf(good, query, {}, UINT32_MAX - 68), ErrorCode::InvalidArgument);
    EXPECT_EQ(codeOf(good, query, {}, UINT32_MAX - 69), std::nullopt);
    HalfRows bad = good;
    bad.data += 2;
    EXPECT_EQ(codeOf(bad, query, {}, 0), ErrorCode::InvalidArgument);
    bad = good;
    bad.strideBytes = 40;
    EXPECT_EQ(codeOf(bad, query, {}, 0), ErrorCode::InvalidArgument);
    bad = good;
    bad.strideBytes = 0;
    EXPECT_EQ(codeOf(bad, query, {}, 0), ErrorCode::InvalidArgument);
    bad = good;
    bad.data = nullptr;
    EXPECT_EQ(codeOf(bad, query, {}, 0), ErrorCode::InvalidArgument);
    bad.rowCount = 0;
    EXPECT_EQ(codeOf(bad, query, {}, 0), std::nullopt);
}

}  // namespace
}  // namespace bifocal::kernels
