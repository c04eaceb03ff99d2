// SPDX-License-Identifier: Apache-2.0
#include "models/convert/pickle.h"

#include "tests/models/pickle_writer.h"

#include <gtest/gtest.h>

#include <random>
#include <string>
#include <utility>
#include <vector>

namespace bifocal::models {
namespace {

TEST(Pickle, BuildsContainers) {
    PickleWriter w;
    w.begin().raw("}").raw("q").number(0, 1);
    w.text("list").raw("](").integer(-5).raw("K").number(200, 1).raw("M").number(60'000, 2);
    w.raw("es").text("tuple").raw("N\x88\x89\x87s").text("self").raw("h").number(0, 1).raw("s.");
    w.raw("what follows is not read");
    const auto pickle = Pickle::parse(w.bytes);
    ASSERT_TRUE(pickle) << pickle.error().message;
    EXPECT_EQ(pickle->size(), w.bytes.size() - 24);
    ASSERT_EQ(pickle->root().kind, PickleKind::Dict);
    ASSERT_EQ(pickle->root().entries.size(), 3U);
    const auto value = [&](std::size_t i) {
        return pickle->node(pickle->root().entries[i].second);
    };
    EXPECT_EQ(pickle->node(pickle->root().entries[0].first).text, "list");
    ASSERT_EQ(value(0).items.size(), 3U);
    EXPECT_EQ(pickle->node(value(0).items[0]).integer, -5);
    EXPECT_EQ(pickle->node(value(0).items[1]).integer, 200);
    EXPECT_EQ(pickle->node(value(0).items[2]).integer, 60'000);
    ASSERT_EQ(value(1).kind, PickleKind::Tuple);
    EXPECT_EQ(pickle->node(value(1).items[0]).kind, PickleKind::None);
    EXPECT_EQ(pickle->node(value(1).items[1]).integer, 1);
    EXPECT_EQ(pickle->node(value(1).items[2]).integer, 0);
    EXPECT_EQ(value(2).entries.size(), 3U);  // a cycle is only an index
}

TEST(Pickle, BuildsNumbers) {
    PickleWriter w;
    w.begin().raw("](").raw("\x8A").number(2, 1).number(0x8000, 2);
    w.raw("\x8A").number(0, 1).raw("\x8A").number(9, 1).number(7, 8).number(1, 1);
    w.raw("G").raw(std::string("\x3F\xF8\0\0\0\0\0\0", 8)).raw("e.");
    const auto pickle = Pickle::parse(w.bytes);
    ASSERT_TRUE(pickle) << pickle.error().message;
    const auto& items = pickle->root().items;
    EXPECT_EQ(pickle->node(items[0]).integer, -32'768);
    EXPECT_EQ(pickle->node(items[1]).integer, 0);
    EXPECT_EQ(pickle->node(items[2]).kind, PickleKind::BigInt);
    EXPECT_EQ(pickle->node(items[2]).text.size(), 9U);
    EXPECT_EQ(pickle->node(items[3]).real, 1.5);
}

TEST(Pickle, RefusesEveryOtherGlobalAndCall) {
    for (const auto& [module, name] :
         std::vector<std::pair<std::string, std::string>>{{"os", "system"},
                                                          {"builtins", "eval"},
                                                          {"torch", "HalfStorage"},
                                                          {"torch._utils", "_rebuild_parameter"},
                                                          {"collections", "OrderedDict.update"}}) {
        PickleWriter w;
        w.begin().global(module, name).text("true").raw("\x85R.");
        const auto pickle = Pickle::parse(w.bytes);
        ASSERT_FALSE(pickle) << name;
        EXPECT_EQ(pickle.error().code, ErrorCode::Unsupported);
        EXPECT_NE(pickle.error().message.find(module + "." + name), std::string::npos);
    }
    PickleWriter called;
    called.begin().global("torch", "FloatStorage").text("x").raw("\x85R.");
    EXPECT_EQ(Pickle::parse(called.bytes).error().code, ErrorCode::Unsupported);
    PickleWriter filled;
    filled.begin().global("collections", "OrderedDict").raw("]\x85R.");
    EXPECT_EQ(Pickle::parse(filled.bytes).error().code, ErrorCode::Unsupported);
}

TEST(Pickle, RefusesMalformedStreams) {
    const std::vector<std::string> cases{
        "",
        ".",
        "\x80\x04N.",          // another protocol
        "\x80\x02",            // no end
        "\x80\x02NN.",         // two values
        "\x80\x02\x85.",       // a tuple of nothing
        "\x80\x02t.",          // no mark
        "\x80\x02N(s.",        // takes what is below the mark
        "\x80\x02}(Nu.",       // a key without a value
        "\x80\x02N(NNu.",      // no dict to set on
        "\x80\x02NNa.",        // no list to append to
        "\x80\x02h\x05.",      // recalls nothing
        "\x80\x02q\x05.",      // remembers nothing
        "\x80\x02J\x01\x02.",  // cut off number
        "\x80\x02X\xFF\xFF\xFF\xFF"
        "ab.",                  // cut off text
        "\x80\x02\x8A\xFFxx.",  // a huge integer
        "\x80\x02NR.",          // REDUCE of one
        "\x80\x02NNR.",         // REDUCE of nothings
        "\x80\x02NNb.",         // BUILD on nothing
        "\x80\x02Q.",           // no persistent id
        "\x80\x02"
        "ccollections",       // a name without an end
        "\x80\x02i.",         // INST
        "\x80\x02o.",         // OBJ
        "\x80\x02\x81.",      // NEWOBJ
        "\x80\x02Pid\n.",     // PERSID
        "\x80\x02\x82\x01.",  // EXT1
        "\x80\x02\x93.",      // STACK_GLOBAL
    };
    for (const std::string& text : cases) {
        EXPECT_FALSE(Pickle::parse(std::vector<std::uint8_t>(text.begin(), text.end())))
            << testing::PrintToString(text);
    }
}

TEST(Pickle, DepthAndSizeAreBounded) {
    std::string deep = "\x80\x02N" + std::string(900'000, '\x85') + ".";
    EXPECT_TRUE(Pickle::parse(std::vector<std::uint8_t>(deep.begin(), deep.end())));
    deep = "\x80\x02N" + std::string(1'100'000, '\x85') + ".";
    EXPECT_FALSE(Pickle::parse(std::vector<std::uint8_t>(deep.begin(), deep.end())));
    const std::string marks = "\x80\x02" + std::string(500'000, '(');
    EXPECT_FALSE(Pickle::parse(std::vector<std::uint8_t>(marks.begin(), marks.end())));
}

TEST(Pickle, MutationsOnlyEverGiveAnError) {
    const std::vector<std::uint8_t> good =
        writeStateDict({{"a", "1", {2, 2}, {2, 1}, {1, 2, 3, 4}}});
    for (std::uint32_t seed = 0; seed < 3000; ++seed) {
        std::mt19937 random(5000 + seed);
        std::vector<std::uint8_t> bytes(good.begin() + 40, good.end());
        bytes[0] = 0x80;
        for (std::size_t i = 0; i < 1 + random() % 6; ++i) {
            bytes[random() % bytes.size()] = static_cast<std::uint8_t>(random());
        }
        const auto pickle = Pickle::parse(bytes);
        if (pickle) {
            EXPECT_LE(pickle->size(), bytes.size()) << "seed " << 5000 + seed;
        } else {
            EXPECT_FALSE(pickle.error().message.empty());
        }
    }
}

}  // namespace
}  // namespace bifocal::models
