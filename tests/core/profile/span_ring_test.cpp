// SPDX-License-Identifier: Apache-2.0
#include "core/profile/internal/span_ring.h"

#include <gtest/gtest.h>

#include <cstdint>
#include <thread>
#include <vector>

namespace bifocal::profile {
namespace {

Span makeSpan(std::uint64_t request, std::uint32_t number) {
    Span span;
    span.request = RequestId{request};
    span.itemCount = number;
    return span;
}

std::vector<std::uint32_t> numbersOf(const std::vector<Span>& spans) {
    std::vector<std::uint32_t> numbers;
    for (const Span& span : spans) {
        numbers.push_back(span.itemCount);
    }
    return numbers;
}

TEST(SpanRingTest, KeepsTheNewestInOrder) {
    SpanRing ring(3);
    EXPECT_TRUE(ring.all().empty());

    for (std::uint32_t number = 1; number <= 5; ++number) {
        ring.append(makeSpan(1, number));
    }

    EXPECT_EQ(numbersOf(ring.all()), (std::vector<std::uint32_t>{3, 4, 5}));
}

TEST(SpanRingTest, FindsTheSpansOfOneRequestAmongRequestsOfTheSameBucket) {
    SpanRing ring(8);
    const std::uint64_t sameBucket = 7 + 1024;
    ring.append(makeSpan(7, 1));
    ring.append(makeSpan(sameBucket, 2));
    ring.append(makeSpan(7, 3));
    ring.append(makeSpan(8, 4));

    EXPECT_EQ(numbersOf(ring.ofRequest(RequestId{7}, SIZE_MAX)),
              (std::vector<std::uint32_t>{1, 3}));
    EXPECT_EQ(numbersOf(ring.ofRequest(RequestId{sameBucket}, SIZE_MAX)),
              (std::vector<std::uint32_t>{2}));
    EXPECT_TRUE(ring.ofRequest(RequestId{9}, SIZE_MAX).empty());
}

TEST(SpanRingTest, AChainEndsWhereTheRingOverwroteIt) {
    SpanRing ring(4);
    for (std::uint32_t number = 1; number <= 9; ++number) {
        ring.append(makeSpan(number % 2, number));
    }

    EXPECT_EQ(numbersOf(ring.ofRequest(RequestId{1}, SIZE_MAX)),
              (std::vector<std::uint32_t>{7, 9}));
    EXPECT_EQ(numbersOf(ring.ofRequest(RequestId{0}, SIZE_MAX)),
              (std::vector<std::uint32_t>{6, 8}));
}

TEST(SpanRingTest, AChainThatWasWhollyOverwrittenIsEmpty) {
    SpanRing ring(4);
    ring.append(makeSpan(1, 1));
    for (std::uint32_t number = 2; number <= 6; ++number) {
        ring.append(makeSpan(2, number));
    }

    EXPECT_TRUE(ring.ofRequest(RequestId{1}, SIZE_MAX).empty());
}

TEST(SpanRingTest, VisitsFromTheNewestUntilToldToStop) {
    SpanRing ring(200);
    for (std::uint32_t number = 1; number <= 300; ++number) {
        ring.append(makeSpan(1, number));
    }
    std::vector<std::uint32_t> seen;

    ring.visitBackwards([&](const Span& span) {
        seen.push_back(span.itemCount);
        return span.itemCount > 151;
    });

    ASSERT_EQ(seen.size(), 150U);
    EXPECT_EQ(seen.front(), 300U);
    EXPECT_EQ(seen.back(), 151U);
}

TEST(SpanRingTest, ReadersSeeWholeSpansWhileOthersAreAppended) {
    SpanRing ring(256);
    std::thread writer([&ring] {
        for (std::uint32_t number = 1; number <= 20'000; ++number) {
            ring.append(makeSpan(number, number));
        }
    });
    for (int round = 0; round < 50; ++round) {
        std::uint32_t last = 0;
        for (const Span& span : ring.all()) {
            ASSERT_EQ(span.request.value, span.itemCount);
            ASSERT_GT(span.itemCount, last);
            last = span.itemCount;
        }
    }
    writer.join();

    EXPECT_EQ(ring.all().size(), 256U);
}

}  // namespace
}  // namespace bifocal::profile
