// SPDX-License-Identifier: Apache-2.0
#include "tests/core/engine/engine_fixture.h"

#include <algorithm>
#include <array>
#include <chrono>
#include <random>
#include <set>

namespace bifocal::test {
namespace {

using std::chrono::sys_days;
using std::chrono::sys_seconds;

/// Forty pictures in three folders, of three spellings of types, with days of change of their own.
class EngineFilterTest : public EngineTest {
protected:
    void SetUp() override {
        EngineTest::SetUp();
        const std::array<std::string, 3> folders{"a/", "a/b/", "ab/"};
        const std::array<std::string, 4> types{".png", ".PNG", ".jpg", ".jpeg"};
        for (int i = 0; i < 40; ++i) {
            const auto number = static_cast<std::size_t>(i);
            const auto path =
                add(folders[number % 3] + "p" + std::to_string(i) + types[number % 4], numbered(i));
            const auto day = sys_days(std::chrono::year(2020) / 1 / 1) + std::chrono::days(i * 7);
            std::filesystem::last_write_time(path,
                                             std::chrono::file_clock::from_sys(sys_seconds(day)));
        }
        ASSERT_EQ(indexed(*engine_).indexed, 40U);
        all_ = ask(*engine_, unfiltered()).results->rows;
        ASSERT_EQ(all_.size(), 40U);
    }

    static Prompt unfiltered() {
        Prompt prompt = words("green or red");
        prompt.resultCount = kMaxResultCount;
        return prompt;
    }

    static sys_seconds changed(const ResultRow& row) {
        return sys_seconds(
            std::chrono::seconds(row.file.stamp.modifiedNanoseconds / 1'000'000'000));
    }

    /// What a person would say of a file, spelled out once more.
    bool isWanted(const ResultRow& row, const Filters& filters) const {
        const std::string path = row.file.path.native();
        const std::string extension = row.file.path.extension();
        const bool isPng = extension == ".png" || extension == ".PNG";
        const bool hasType =
            filters.types.empty() ||
            std::any_of(filters.types.begin(), filters.types.end(), [&](const std::string& type) {
                return isPng == (type == "png");
            });
        return hasType && row.file.stamp.sizeBytes >= filters.smallestBytes &&
               (!filters.largestBytes || row.file.stamp.sizeBytes <= *filters.largestBytes) &&
               (filters.folder.empty() || path.find(filters.folder.native() + "/") == 0) &&
               (!filters.modifiedAfter || changed(row) >= *filters.modifiedAfter) &&
               (!filters.modifiedBefore || changed(row) < *filters.modifiedBefore);
    }

    std::vector<ResultRow> all_;  ///< the unfiltered answer
};

TEST_F(EngineFilterTest, AnswersAsBruteForceDoes) {
    std::mt19937 random(20'250'108);
    const auto root = std::filesystem::canonical(pictures());
    std::size_t found = 0;
    for (int turn = 0; turn < 120; ++turn) {
        Prompt prompt = unfiltered();
        Filters& filters = prompt.filters;
        if (random() % 2 == 0) {
            filters.types = {random() % 2 == 0 ? "jpg" : "png"};
        }
        if (random() % 2 == 0) {
            filters.smallestBytes = all_[random() % 40].file.stamp.sizeBytes;
        }
        if (random() % 3 == 0) {
            filters.largestBytes = all_[random() % 40].file.stamp.sizeBytes;
        }
        if (random() % 2 == 0) {
            filters.folder = root / (random() % 2 == 0 ? "a" : "a/b");
        }
        if (random() % 2 == 0) {
            filters.modifiedAfter = changed(all_[random() % 40]);
        }
        if (random() % 3 == 0) {
            filters.modifiedBefore = changed(all_[random() % 40]);
        }
        std::vector<std::string> expected;
        for (const ResultRow& row : all_) {
            if (isWanted(row, filters)) {
                expected.push_back(row.file.path.filename());
            }
        }

        const PromptEvent end = ask(*engine_, prompt);

        ASSERT_EQ(end.kind, PromptEventKind::Done);
        EXPECT_EQ(names(end), expected) << "turn " << turn;
        found += expected.size();
    }
    EXPECT_GT(found, 400U) << "the filters let something through";
}

TEST_F(EngineFilterTest, AMatchIsAsStrongWithAFilterAsWithoutIt) {
    Prompt prompt = unfiltered();
    prompt.filters.types = {"png"};
    prompt.filters.folder = std::filesystem::canonical(pictures()) / "a/b";

    const PromptEvent end = ask(*engine_, prompt);

    ASSERT_GE(end.results->rows.size(), 3U);
    for (const ResultRow& row : end.results->rows) {
        const auto same = std::find_if(all_.begin(), all_.end(), [&](const ResultRow& other) {
            return other.file.id == row.file.id;
        });
        ASSERT_NE(same, all_.end());
        EXPECT_EQ(row.confidence, same->confidence) << row.file.path;
    }
}

TEST_F(EngineFilterTest, AFilterStillGivesAsManyAsAsked) {
    Prompt prompt = unfiltered();
    prompt.filters.types = {"JPG"};
    prompt.resultCount = 15;

    EXPECT_EQ(names(ask(*engine_, prompt)).size(), 15U);
}

TEST_F(EngineFilterTest, AnOrderSortsTheBestAndChangesNoneOfThem) {
    Prompt prompt = unfiltered();
    prompt.resultCount = 12;
    const auto best = names(ask(*engine_, prompt));
    const std::set<std::string> chosen(best.begin(), best.end());
    using Row = ResultRow;
    const auto expectOrder = [&](SortOrder order, auto isBefore) {
        prompt.order = order;
        const PromptEvent end = ask(*engine_, prompt);
        const auto sorted = names(end);
        EXPECT_EQ(std::set<std::string>(sorted.begin(), sorted.end()), chosen);
        const auto& rows = end.results->rows;
        EXPECT_TRUE(std::is_sorted(rows.begin(), rows.end(), isBefore));
    };
    expectOrder(SortOrder::Newest,
                [](const Row& a, const Row& b) { return changed(a) > changed(b); });
    expectOrder(SortOrder::Oldest,
                [](const Row& a, const Row& b) { return changed(a) < changed(b); });
    expectOrder(SortOrder::Largest, [](const Row& a, const Row& b) {
        return a.file.stamp.sizeBytes > b.file.stamp.sizeBytes;
    });
    expectOrder(SortOrder::Smallest, [](const Row& a, const Row& b) {
        return a.file.stamp.sizeBytes < b.file.stamp.sizeBytes;
    });
    expectOrder(SortOrder::Name, [](const Row& a, const Row& b) {
        return a.file.path.filename() < b.file.path.filename();
    });
}

TEST_F(EngineFilterTest, ThePromptsOwnPictureStaysFirstInAnyOrder) {
    Prompt prompt = picture(all_[20].file.path);
    prompt.order = SortOrder::Oldest;

    const PromptEvent end = ask(*engine_, prompt);

    EXPECT_TRUE(end.results->rows.front().isThisPicture);
}

}  // namespace
}  // namespace bifocal::test
