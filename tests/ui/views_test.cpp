// SPDX-License-Identifier: Apache-2.0
#include "tests/ui/fake_engine.h"
#include "tests/ui/scripted_screens.h"
#include "ui/bridge/session.h"
#include "ui/views/balance_slider.h"
#include "ui/views/capture.h"
#include "ui/views/capture_overlay.h"
#include "ui/views/capture_screen.h"
#include "ui/views/chart/time_chart.h"
#include "ui/views/detail_pane.h"
#include "ui/views/failure_list.h"
#include "ui/views/main_window.h"
#include "ui/views/narrowing_bar.h"
#include "ui/views/profiler_dock.h"
#include "ui/views/prompt_bar.h"
#include "ui/views/prompt_chip.h"
#include "ui/views/result_grid.h"
#include "ui/views/result_header.h"
#include "ui/views/sidebar.h"
#include "ui/views/theme.h"

#include <QAction>
#include <QApplication>
#include <QBuffer>
#include <QClipboard>
#include <QComboBox>
#include <QDropEvent>
#include <QLabel>
#include <QLineEdit>
#include <QListView>
#include <QMenu>
#include <QMimeData>
#include <QPushButton>
#include <QSignalSpy>
#include <QTest>
#include <QUrl>

#include <gtest/gtest.h>

namespace bifocal::ui {
namespace {

using test::FakeEngine;
using test::ScriptedScreens;

void runEvents() {
    QCoreApplication::processEvents();
}

class PromptBarTest : public testing::Test {
protected:
    void SetUp() override {
        theme_.apply(*qApp, Appearance::Dark);
        bar_.resize(900, 110);
        bar_.show();
        ASSERT_TRUE(QTest::qWaitForWindowExposed(&bar_));
    }

    PromptDraft lastDraft() const { return changed_.last().at(0).value<PromptDraft>(); }

    FakeEngine engine_;
    EngineBridge bridge_{engine_};
    Theme theme_;
    PromptBar bar_{bridge_, theme_, nullptr};
    QLineEdit& text_{bar_.textField()};
    QSignalSpy changed_{&bar_, &PromptBar::promptChanged};
};

TEST_F(PromptBarTest, KeysAreCollectedIntoOnePrompt) {
    QTest::keyClicks(&text_, QStringLiteral("flower"));
    EXPECT_EQ(changed_.count(), 0);

    ASSERT_TRUE(changed_.wait(2000));

    EXPECT_EQ(changed_.count(), 1);
    EXPECT_EQ(lastDraft().text, QStringLiteral("flower"));
}

TEST_F(PromptBarTest, EnterSearchesAtOnceAndOnlyOnce) {
    QTest::keyClicks(&text_, QStringLiteral("flower"));
    QTest::keyClick(&text_, Qt::Key_Return);
    EXPECT_EQ(changed_.count(), 1);

    EXPECT_FALSE(changed_.wait(2 * static_cast<int>(PromptBar::kTypingPause.count())));
}

TEST_F(PromptBarTest, TypedMinusWordBecomesAChip) {
    QTest::keyClicks(&text_, QStringLiteral("flower -tree garden"));
    QTest::keyClick(&text_, Qt::Key_Return);

    ASSERT_EQ(bar_.minusChips().size(), 1);
    EXPECT_EQ(lastDraft().minus, QStringList{QStringLiteral("tree")});
    EXPECT_EQ(lastDraft().text.simplified(), QStringLiteral("flower garden"));
}

TEST_F(PromptBarTest, EnterEndsAMinusWordToo) {
    QTest::keyClicks(&text_, QStringLiteral("flower -tree"));
    QTest::keyClick(&text_, Qt::Key_Return);

    EXPECT_EQ(lastDraft().minus, QStringList{QStringLiteral("tree")});
    EXPECT_EQ(lastDraft().text.simplified(), QStringLiteral("flower"));
}

TEST_F(PromptBarTest, HyphenInsideAWordIsNoMinus) {
    QTest::keyClicks(&text_, QStringLiteral("black-and-white photo"));
    QTest::keyClick(&text_, Qt::Key_Return);

    EXPECT_TRUE(lastDraft().minus.isEmpty());
    EXPECT_EQ(lastDraft().text, QStringLiteral("black-and-white photo"));
}

TEST_F(PromptBarTest, EscapeRemovesOnePartAtATime) {
    bar_.setPicture(std::filesystem::path("/pictures/a.png"), QStringLiteral("a.png"));
    QTest::keyClicks(&text_, QStringLiteral("flower -tree -grass "));

    QTest::keyClick(&text_, Qt::Key_Escape);
    EXPECT_EQ(lastDraft().minus, QStringList{QStringLiteral("tree")});
    QTest::keyClick(&text_, Qt::Key_Escape);
    EXPECT_TRUE(lastDraft().minus.isEmpty());
    EXPECT_TRUE(lastDraft().picture.has_value());
    QTest::keyClick(&text_, Qt::Key_Escape);
    EXPECT_FALSE(lastDraft().picture.has_value());
    EXPECT_EQ(lastDraft().text.simplified(), QStringLiteral("flower"));
    QTest::keyClick(&text_, Qt::Key_Escape);
    EXPECT_TRUE(lastDraft().isEmpty());
}

TEST_F(PromptBarTest, BalanceAppearsOnlyWithBothLenses) {
    EXPECT_FALSE(bar_.balance().isVisible());
    bar_.setPicture(std::filesystem::path("/pictures/a.png"), QStringLiteral("a.png"));
    EXPECT_FALSE(bar_.balance().isVisible());

    QTest::keyClicks(&text_, QStringLiteral("x"));
    EXPECT_TRUE(bar_.balance().isVisible());
    QTest::keyClick(&text_, Qt::Key_Backspace);

    EXPECT_FALSE(bar_.balance().isVisible());
}

TEST_F(PromptBarTest, DraggedBalanceIsAnnouncedWhenLetGo) {
    bar_.setPicture(std::filesystem::path("/pictures/a.png"), QStringLiteral("a.png"));
    QTest::keyClicks(&text_, QStringLiteral("flower"));
    QTest::keyClick(&text_, Qt::Key_Return);
    BalanceSlider& slider = bar_.balance();
    changed_.clear();

    QTest::mousePress(&slider, Qt::LeftButton, {}, slider.handleCentre(50));
    QTest::mouseMove(&slider, slider.handleCentre(30));
    QTest::mouseRelease(&slider, Qt::LeftButton, {}, slider.handleCentre(20));

    ASSERT_GE(changed_.count(), 1);
    EXPECT_NEAR(slider.balance(), 0.25, 0.06);
    EXPECT_EQ(lastDraft().balance, slider.balance());
}

TEST_F(PromptBarTest, ChipShowsItsThumbnailBeforeAnyAnswer) {
    bar_.setPicture(std::filesystem::path("/pictures/a.png"), QStringLiteral("a.png"));
    ASSERT_EQ(engine_.pictures.size(), 1U);

    engine_.showPicture(engine_.pictures[0], FakeEngine::picture(8, 200, 10, 10));
    runEvents();

    EXPECT_TRUE(bar_.pictureChip()->hasThumbnail());
}

TEST_F(PromptBarTest, CrossRemovesThePicture) {
    bar_.setPicture(QImage(8, 8, QImage::Format_RGB32), QStringLiteral("pasted picture"));
    PromptChip* chip = bar_.pictureChip();

    QTest::mouseClick(chip, Qt::LeftButton, {}, QPoint(chip->width() - 12, chip->height() / 2));

    EXPECT_EQ(bar_.pictureChip(), nullptr);
    EXPECT_FALSE(lastDraft().picture.has_value());
}

class MainWindowTest : public testing::Test {
protected:
    void SetUp() override {
        theme_.apply(*qApp, Appearance::Dark);
        engine_.addCollectionRecord("/pictures/Stamps", 796);
        session_.start();
        auto screens = std::make_unique<ScriptedScreens>();
        screens_ = screens.get();
        window_ = std::make_unique<MainWindow>(session_, theme_, nullptr, std::move(screens));
        window_->show();
        ASSERT_TRUE(QTest::qWaitForWindowExposed(window_.get()));
        engine_.browses.back().handler(std::vector<ResultRow>{FakeEngine::row(1, "a.png", 0, 0)});
        runEvents();
    }

    void drop(const QMimeData& data) {
        const QPoint centre = window_->rect().center();
        QDragEnterEvent enter(centre, Qt::CopyAction, &data, Qt::LeftButton, Qt::NoModifier);
        QCoreApplication::sendEvent(window_.get(), &enter);
        isAccepted_ = enter.isAccepted();
        QDropEvent event(centre, Qt::CopyAction, &data, Qt::LeftButton, Qt::NoModifier);
        QCoreApplication::sendEvent(window_.get(), &event);
    }

    /// Types a prompt and answers it with `rows`.
    void answer(std::vector<ResultRow> rows) {
        QTest::keyClicks(&window_->prompt().textField(), QStringLiteral("flower"));
        QTest::keyClick(&window_->prompt().textField(), Qt::Key_Return);
        engine_.answer(engine_.submitted.back(), PromptEventKind::Done, std::move(rows));
        runEvents();
    }

    FakeEngine engine_;
    Session session_{engine_};
    Theme theme_;
    std::unique_ptr<MainWindow> window_;
    ScriptedScreens* screens_ = nullptr;
    bool isAccepted_ = false;
};

TEST_F(MainWindowTest, DroppedFileBecomesThePrompt) {
    QMimeData data;
    data.setUrls({QUrl::fromLocalFile(QStringLiteral("/pictures/фото é.jpg"))});

    drop(data);

    EXPECT_TRUE(isAccepted_);
    ASSERT_EQ(engine_.submitted.size(), 1U);
    EXPECT_EQ(std::get<ImageFile>(engine_.submitted[0].prompt.image->source).path,
              std::filesystem::path("/pictures/фото é.jpg"));
}

TEST_F(MainWindowTest, DroppedBytesAreLeftToTheEngineToDecode) {
    QMimeData data;
    data.setData(QStringLiteral("image/png"), QByteArray("not decoded here"));

    drop(data);

    ASSERT_EQ(engine_.submitted.size(), 1U);
    const auto& bytes = std::get<ImageBytes>(engine_.submitted[0].prompt.image->source).bytes;
    EXPECT_EQ(std::string(bytes.begin(), bytes.end()), "not decoded here");
}

TEST_F(MainWindowTest, DroppedTextIsRefused) {
    QMimeData data;
    data.setText(QStringLiteral("flower"));

    drop(data);

    EXPECT_FALSE(isAccepted_);
    EXPECT_TRUE(engine_.submitted.empty());
}

TEST_F(MainWindowTest, DroppedFolderIsAddedAndIndexed) {
    QMimeData data;
    data.setUrls({QUrl::fromLocalFile(QStringLiteral("/"))});

    drop(data);

    session_.bridge().finishChanges();
    EXPECT_EQ(engine_.added, std::vector<std::filesystem::path>{"/"});
    EXPECT_EQ(engine_.runs.size(), 1U);
}

TEST_F(MainWindowTest, PastedPixelsBecomeThePromptAlsoFromTheTextField) {
    QImage image(5, 4, QImage::Format_RGB32);
    image.fill(Qt::green);
    QGuiApplication::clipboard()->setImage(image);

    QTest::keyClick(&window_->prompt().textField(), Qt::Key_V, Qt::ControlModifier);

    ASSERT_EQ(engine_.submitted.size(), 1U);
    const auto& pixels = std::get<ImageBuffer>(engine_.submitted[0].prompt.image->source);
    EXPECT_EQ(pixels.width, 5);
    EXPECT_EQ(pixels.height, 4);
    EXPECT_TRUE(window_->prompt().textField().text().isEmpty());
}

TEST_F(MainWindowTest, PastedWordsStayWords) {
    QGuiApplication::clipboard()->setText(QStringLiteral("a flower"));

    QTest::keyClick(&window_->prompt().textField(), Qt::Key_V, Qt::ControlModifier);

    EXPECT_EQ(window_->prompt().textField().text(), QStringLiteral("a flower"));
}

TEST_F(MainWindowTest, HeaderTellsHowWellTheAnswerFits) {
    answer({FakeEngine::row(1, "a.png", 0.5F, 0.3F), FakeEngine::row(2, "b.png", 0.4F, 0)});

    const QString text = window_->header().text();
    EXPECT_TRUE(text.contains(QLatin1String("2 of 796 searched"))) << text.toStdString();
    EXPECT_TRUE(text.contains(QLatin1String("1 strong, 1 fair"))) << text.toStdString();
    EXPECT_TRUE(text.contains(QLatin1String("38 ms"))) << text.toStdString();
}

TEST_F(MainWindowTest, AnswerWithoutAMatchSaysSo) {
    ResultSet none;
    QTest::keyClicks(&window_->prompt().textField(), QStringLiteral("qwertyzxcv"));
    QTest::keyClick(&window_->prompt().textField(), Qt::Key_Return);
    none.rows = {FakeEngine::row(1, "a.png", 0.1F, 0)};
    none.answer = Answer::None;
    none.searchedCount = 796;
    PromptEvent event;
    event.request = engine_.submitted.back().request;
    event.kind = PromptEventKind::Done;
    event.results = std::make_shared<const ResultSet>(none);
    engine_.submitted.back().handler(event);
    runEvents();

    EXPECT_TRUE(window_->header().text().contains(QLatin1String("Nothing really matches")));
}

TEST_F(MainWindowTest, TimeIsADoorToThatRequest) {
    QTest::keyClicks(&window_->prompt().textField(), QStringLiteral("flower"));
    QTest::keyClick(&window_->prompt().textField(), Qt::Key_Return);
    const RequestId request = engine_.submitted.back().request;
    engine_.writableProfiler().beginRequest(request, "“flower”", Urgency::Interactive);
    engine_.writableProfiler().endRequest(request, profile::Outcome::Done);
    engine_.answer(
        engine_.submitted.back(), PromptEventKind::Done, {FakeEngine::row(1, "a.png", 0.5F, 0.3F)});
    runEvents();
    QTest::keyClick(window_.get(), Qt::Key_F12);
    EXPECT_FALSE(window_->profiler().isVisible());

    QTest::mouseClick(&window_->header().timeDoor(), Qt::LeftButton);

    EXPECT_TRUE(window_->profiler().isVisible());
    EXPECT_EQ(window_->profiler().requestList().currentIndex().row(), 0);
}

TEST_F(MainWindowTest, JustAnsweredPromptIsInTheLatencyChartAtOnce) {
    const auto latency = window_->profiler().findChildren<TimeChart*>().first();
    const auto pointCount = [&] {
        int count = 0;
        for (const TimeChart::Line& line : latency->lines()) {
            count += static_cast<int>(line.points.size());
        }
        return count;
    };
    ASSERT_EQ(pointCount(), 0);
    QTest::keyClicks(&window_->prompt().textField(), QStringLiteral("flower"));
    QTest::keyClick(&window_->prompt().textField(), Qt::Key_Return);
    const RequestId request = engine_.submitted.back().request;
    engine_.writableProfiler().beginRequest(request, "label", Urgency::Interactive);
    engine_.writableProfiler().endRequest(request, profile::Outcome::Done);

    engine_.answer(
        engine_.submitted.back(), PromptEventKind::Done, {FakeEngine::row(1, "a.png", 0.5F, 0.3F)});
    runEvents();

    EXPECT_EQ(pointCount(), 3);
    EXPECT_EQ(session_.requests().itemAt(0).label, QStringLiteral("“flower”"));
}

TEST_F(MainWindowTest, BestPictureIsShownLargeWithWhatCanBeDone) {
    answer({FakeEngine::row(1, "a.png", 0.5F, 0.3F)});

    ASSERT_TRUE(window_->detail().item().has_value());
    EXPECT_EQ(window_->detail().item()->file, FileId{1});
    window_->detail().copyPicture();
    EXPECT_TRUE(QGuiApplication::clipboard()->text().endsWith(QLatin1String("plants/a.png")));
}

TEST_F(MainWindowTest, APictureFoundByItsNameSaysSo) {
    const auto says = [this](const QString& words) {
        const auto labels = window_->detail().findChildren<QLabel*>();
        return std::any_of(labels.begin(), labels.end(), [&](const QLabel* label) {
            return label->isVisible() && label->text().contains(words);
        });
    };
    ResultRow named = FakeEngine::row(1, "flower.png", 0.5F, 0);
    named.name = {0.4F, true};
    ResultRow inFolder = FakeEngine::row(2, "b.png", 0.4F, 0);
    inFolder.name = {0.2F, false};
    answer({named, inFolder, FakeEngine::row(3, "c.png", 0.3F, 0)});

    EXPECT_TRUE(says(QStringLiteral("Its name holds the words")));
    const auto parts = window_->detail().findChildren<QWidget*>();
    EXPECT_TRUE(std::any_of(parts.begin(), parts.end(), [](const QWidget* part) {
        return part->accessibleName().contains(QStringLiteral("names 40%"));
    }));
    QTest::keyClick(&window_->grid(), Qt::Key_Right);
    EXPECT_TRUE(says(QStringLiteral("The names of its folders")));
    QTest::keyClick(&window_->grid(), Qt::Key_Right);
    EXPECT_FALSE(says(QStringLiteral("name")) && says(QStringLiteral("holds")));
}

TEST_F(MainWindowTest, AStricterChoiceAsksAgainAndSaysWhatItHides) {
    EXPECT_FALSE(window_->header().narrowing().strictness().isVisible())
        << "nothing to be strict about yet";
    answer({FakeEngine::row(1, "a.png", 0.5F, 0.3F), FakeEngine::row(2, "b.png", 0.1F, 0)});
    QComboBox& strictness = window_->header().narrowing().strictness();
    ASSERT_TRUE(strictness.isVisible());
    EXPECT_EQ(engine_.submitted.back().prompt.strictness, Strictness::Any);

    strictness.setFocus();
    QTest::keyClick(&strictness, Qt::Key_Down);  // fair and strong
    QTest::keyClick(&strictness, Qt::Key_Down);  // only strong

    EXPECT_EQ(engine_.submitted.back().prompt.strictness, Strictness::Strong);
    EXPECT_EQ(engine_.submitted.back().prompt.text, "flower");
    engine_.hiddenCount = 1;
    engine_.answer(
        engine_.submitted.back(), PromptEventKind::Done, {FakeEngine::row(1, "a.png", 0.5F, 0.3F)});
    runEvents();
    EXPECT_TRUE(window_->header().text().contains(QStringLiteral("1 weaker hidden")));
    EXPECT_EQ(session_.results().rowCount(), 1);

    QTest::keyClicks(&window_->prompt().textField(), QStringLiteral(" red"));
    QTest::keyClick(&window_->prompt().textField(), Qt::Key_Return);
    EXPECT_EQ(engine_.submitted.back().prompt.strictness, Strictness::Strong) << "it stays chosen";
}

TEST_F(MainWindowTest, AnOrderAndAFilterAreAskedForAndStay) {
    answer({FakeEngine::row(1, "a.png", 0.5F, 0.3F)});
    NarrowingBar& bar = window_->header().narrowing();
    bar.order().setFocus();
    QTest::keyClick(&bar.order(), Qt::Key_Down);
    EXPECT_EQ(engine_.submitted.back().prompt.order, SortOrder::Newest);

    const auto choose = [&bar](const QString& text) {
        const auto actions = bar.filterMenu().actions();
        const auto found = std::find_if(actions.begin(), actions.end(), [&](const QAction* action) {
            return action->text() == text;
        });
        ASSERT_NE(found, actions.end()) << text.toStdString();
        bar.filterMenu().popup(bar.mapToGlobal(QPoint(0, 0)));
        QTest::mouseClick(&bar.filterMenu(),
                          Qt::LeftButton,
                          {},
                          bar.filterMenu().actionGeometry(*found).center());
    };
    choose(QStringLiteral("PNG"));
    choose(QStringLiteral("At least 100 kB"));
    choose(QStringLiteral("In the last week"));
    const Prompt& filtered = engine_.submitted.back().prompt;
    EXPECT_EQ(filtered.filters.types, std::vector<std::string>{"png"});
    EXPECT_EQ(filtered.filters.smallestBytes, 100'000U);
    EXPECT_TRUE(filtered.filters.modifiedAfter.has_value());
    EXPECT_EQ(filtered.order, SortOrder::Newest);
    EXPECT_EQ(bar.filterButton().text(), QStringLiteral("Filter: on"));

    choose(QStringLiteral("All files"));
    EXPECT_TRUE(engine_.submitted.back().prompt.filters.types.empty());
    EXPECT_FALSE(engine_.submitted.back().prompt.filters.modifiedAfter.has_value());
    EXPECT_EQ(engine_.submitted.back().prompt.text, "flower");
}

TEST_F(MainWindowTest, MoreLikeThisMakesItThePrompt) {
    answer({FakeEngine::row(1, "a.png", 0.5F, 0.3F)});

    QTest::keyClick(window_.get(), Qt::Key_L, Qt::ControlModifier);

    EXPECT_EQ(std::get<ImageFile>(engine_.submitted.back().prompt.image->source).path,
              std::filesystem::path("/pictures/plants/a.png"));
}

TEST_F(MainWindowTest, ChosenCollectionShowsItsPictures) {
    QListView& list = window_->sidebar().list();
    const QModelIndex stamps = session_.collections().index(1);

    QTest::mouseClick(list.viewport(), Qt::LeftButton, {}, list.visualRect(stamps).center());

    EXPECT_EQ(engine_.browses.back().collection, CollectionId{1});
}

TEST_F(MainWindowTest, FailuresOpenWithReasonsAndAreRetried) {
    engine_.state.collections[0].failureCount = 1;
    session_.bridge().refresh();
    FailureRecord record;
    record.collection = CollectionId{1};
    record.path = "/pictures/Stamps/broken.png";
    record.code = ErrorCode::Corruption;
    QPushButton& door = window_->sidebar().failuresDoor();
    ASSERT_TRUE(door.isVisible());

    QTest::mouseClick(&door, Qt::LeftButton);
    engine_.failureHandlers.back()(std::vector<FailureRecord>{record});
    runEvents();
    ASSERT_TRUE(window_->failures().isVisible());
    QTest::mouseClick(&window_->failures().retryButton(), Qt::LeftButton);

    session_.bridge().finishChanges();
    ASSERT_EQ(engine_.runs.size(), 1U);
    EXPECT_EQ(engine_.runs[0].paths, std::vector<std::filesystem::path>{record.path});
}

TEST_F(MainWindowTest, PauseKeyPausesTheScanThatRuns) {
    session_.bridge().startIndexing(CollectionId{1});
    session_.bridge().finishChanges();
    runEvents();

    QTest::keyClick(window_.get(), Qt::Key_P, Qt::ControlModifier);

    EXPECT_EQ(engine_.paused, std::vector<RequestId>{engine_.runs[0].request});
}

TEST_F(MainWindowTest, CapturedRegionBecomesThePrompt) {
    CaptureOverlay* overlay = nullptr;
    QObject::connect(
        &window_->capture(), &Capture::overlayShown, window_.get(), [&](CaptureOverlay* shown) {
            overlay = shown;
        });
    QTest::keyClick(window_.get(), Qt::Key_S, Qt::ControlModifier | Qt::ShiftModifier);
    EXPECT_FALSE(window_->isVisible());
    ASSERT_TRUE(QTest::qWaitFor([&] { return overlay != nullptr; }, 2000));

    CaptureScreen* const screen = overlay->windows().front();
    QTest::mousePress(screen, Qt::LeftButton, {}, QPoint(20, 30));
    QTest::mouseRelease(screen, Qt::LeftButton, {}, QPoint(83, 71));

    EXPECT_TRUE(window_->isVisible());
    ASSERT_EQ(engine_.submitted.size(), 1U);
    const auto& pixels = std::get<ImageBuffer>(engine_.submitted[0].prompt.image->source);
    EXPECT_EQ(pixels.width, 64);
    EXPECT_EQ(pixels.height, 42);
}

TEST_F(MainWindowTest, WhereNoScreenIsShownTheMessageSaysWhatToDoInstead) {
    screens_->fault = CaptureFault::Unavailable;
    window_->capture().begin(Capture::What::Region);
    ASSERT_TRUE(QTest::qWaitFor([&] { return session_.messages().rowCount() > 0; }, 2000));

    EXPECT_TRUE(window_->isVisible());
    EXPECT_TRUE(engine_.submitted.empty());
}

TEST_F(MainWindowTest, EveryButtonHasANameForThoseWhoCannotSeeIt) {
    for (const QAbstractButton* button : window_->findChildren<QAbstractButton*>()) {
        EXPECT_FALSE(button->text().isEmpty() && button->accessibleName().isEmpty())
            << button->metaObject()->className();
    }
}

TEST_F(MainWindowTest, FitsTheSmallestScreen) {
    window_->resize(1024, 640);
    runEvents();

    EXPECT_EQ(window_->size(), QSize(1024, 640));
    EXPECT_GE(window_->grid().columnCount(), 2);
    EXPECT_TRUE(window_->prompt().findButton().visibleRegion().boundingRect().width() > 30);
}

TEST(ResultGridTest, CardsFillTheWidthAndOnlyVisibleRowsAskForThumbnails) {
    Theme theme;
    ResultModel model;
    ResultGrid grid(model, theme, nullptr);
    grid.resize(900, 500);
    grid.show();
    ASSERT_TRUE(QTest::qWaitForWindowExposed(&grid));
    QSignalSpy wanted(&model, &ResultModel::thumbnailWanted);
    QList<ResultItem> items;
    for (int i = 1; i <= 5000; ++i) {
        ResultItem item;
        item.file = FileId{static_cast<std::uint64_t>(i)};
        item.content.bytes[0] = static_cast<std::uint8_t>(i);
        item.content.bytes[1] = static_cast<std::uint8_t>(i >> 8);
        items.append(item);
    }

    model.replace(items);
    grid.repaint();

    EXPECT_EQ(grid.visualRect(model.index(0)).top(),
              grid.visualRect(model.index(grid.columnCount() - 1)).top());
    EXPECT_LT(grid.visualRect(model.index(0)).top(),
              grid.visualRect(model.index(grid.columnCount())).top());
    EXPECT_GT(wanted.count(), 0);
    EXPECT_LE(wanted.count(), 6 * grid.columnCount());
}

}  // namespace
}  // namespace bifocal::ui
