// SPDX-License-Identifier: Apache-2.0
#include "tests/core/engine/engine_fixture.h"

namespace bifocal::test {
namespace {

/// Pictures that a perceptual hash cannot tell apart: it sees their brightness alone.
class SamePictureTest : public EngineTest {
protected:
    /// numbered(3) on a ground of this colour.
    static ImageBuffer onGround(std::uint8_t red, std::uint8_t green, std::uint8_t blue) {
        ImageBuffer image = numbered(3);
        for (std::size_t i = 0; i < image.rgba.size(); i += 4) {
            if (image.rgba[i] != 255) {
                image.rgba[i] = red;
                image.rgba[i + 1] = green;
                image.rgba[i + 2] = blue;
            }
        }
        return image;
    }
    static ImageBuffer orange() { return onGround(200, 100, 50); }
    static ImageBuffer green() { return onGround(100, 151, 50); }

    /// The same pixels but for one that is a little off: other bytes, as after re-encoding.
    static Prompt reencoded(ImageBuffer image) {
        image.rgba[0] = static_cast<std::uint8_t>(image.rgba[0] + 2);
        Prompt prompt;
        prompt.image = ImageSource{std::move(image), {}};
        return prompt;
    }

    static std::vector<std::string> marked(const PromptEvent& event) {
        std::vector<std::string> names;
        for (const ResultRow& row : event.results->rows) {
            if (row.isThisPicture) {
                names.push_back(row.file.path.filename().string());
            }
        }
        return names;
    }
};

TEST_F(SamePictureTest, EqualHashesAreNotEnough) {
    ASSERT_NE(imaging::perceptualHash(orange().view()), 0U);
    ASSERT_EQ(imaging::perceptualHash(orange().view()), imaging::perceptualHash(green().view()));
    add("orange.png", orange());
    add("green.png", green());
    ASSERT_EQ(indexed(*engine_).indexed, 2U);

    const PromptEvent asOrange = ask(*engine_, reencoded(orange()));
    const PromptEvent asGreen = ask(*engine_, reencoded(green()));

    ASSERT_EQ(asOrange.kind, PromptEventKind::Done);
    EXPECT_EQ(marked(asOrange), std::vector<std::string>{"orange.png"});
    EXPECT_EQ(marked(asGreen), std::vector<std::string>{"green.png"});
}

TEST_F(SamePictureTest, AnotherPictureAloneWithTheHashIsNotThisPicture) {
    add("green.png", green());
    ASSERT_EQ(indexed(*engine_).indexed, 1U);

    EXPECT_TRUE(marked(ask(*engine_, reencoded(orange()))).empty());
}

TEST_F(SamePictureTest, CopiesAreAllThisPicture) {
    add("orange.png", orange());
    add("copy/orange.png", orange());
    ASSERT_EQ(indexed(*engine_).indexed, 2U);

    EXPECT_EQ(marked(ask(*engine_, reencoded(orange()))).size(), 2U);
}

TEST_F(SamePictureTest, FileThatIsGoneProvesNothing) {
    const std::filesystem::path path = add("orange.png", orange());
    ASSERT_EQ(indexed(*engine_).indexed, 1U);
    std::filesystem::remove(path);

    const PromptEvent end = ask(*engine_, reencoded(orange()));

    ASSERT_EQ(end.kind, PromptEventKind::Done);
    EXPECT_TRUE(marked(end).empty());
}

}  // namespace
}  // namespace bifocal::test
