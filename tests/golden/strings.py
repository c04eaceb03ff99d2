# SPDX-License-Identifier: Apache-2.0
"""The 5,000 texts of the tokenizer's golden file, from one seed."""

import random
import unicodedata

COUNT = 5000
SEED = 20240711

WORDS = ("summer commuting bicycle tram harbour lighthouse meadow thunderstorm staircase umbrella kitchen "
         "marmalade violin hedgehog glacier escalator photosynthesis misunderstanding unbelievably "
         "blue-green state-of-the-art don't O'Neill C++ 3.14 1,000,000 2560x1440 f/2.8 #sunset @night "
         "IMG_2041.JPG e-mail U.S.A. 50% $9.99 A4 x² ½ №5 AT&T rock'n'roll re-entry").split()
ACCENTED = ("crème brûlée Ångström naïve façade Škoda Łódź Đorđe Øresund smörgåsbord İstanbul ıssız Ñandú "
            "piñata Übergröße GROẞ cœur Ærø þorn Ǆungla ŉ ﬁnal ﬀ Việt Hà Nội Σίσυφος ΑΘΗΝΑΣ Москва Ёлка "
            "їжак Қазақ Україна").split()
SCRIPTS = {
    "cjk": ("夏の通勤自転車", "猫が好き", "上海的夜景", "電車とバス", "東京タワー2024", "一二三", "㐀㐁", "𠀀𠀁", "𪜀", "𫠠",
            "𫤠", "豈更", "丽丸", "カタカナ", "ｶﾀｶﾅ", "ひらがな", "がぎぐ", "「引用」、。"),
    "korean": ("여름 출근길", "한국어", "고양이", "자전거를 타다", "서울특별시", "ㄱㄴㄷ", "각", "꺅"),
    "thai": ("แมวน้ำ", "กรุงเทพมหานคร", "รถไฟฟ้า", "ฤดูร้อน", "น้ำตก"),
    "arabic": ("قِطَّةٌ", "السَّلام عليكم", "صورة جميلة", "١٢٣", "،؟", "لا إله", "ﷺ", "ﻻ"),
    "hebrew": ("שָׁלוֹם", "חתול", "ירושלים"),
    "hindi": ("गर्मी की यात्रा", "बिल्ली", "हिन्दी", "क़ख़ग़", "नमस्ते।", "ज़िंदगी", "श्री"),
    "other": ("বাংলা ভাষা", "தமிழ்", "తెలుగు", "ಕನ್ನಡ", "മലയാളം", "සිංහල", "ខ្មែរ", "ລາວ", "မြန်မာ", "ქართული", "Հայերեն",
              "አማርኛ፡፡", "ᚠᚢᚦ", "ᏣᎳᎩ", "ᜠ᜴", "𝔘𝔫𝔦𝔠𝔬𝔡𝔢", "𝒜𝒷", "Ⓐⓑ", "Ａｂｃ１２", "㎏㎡", "ⅣⅧ"),
    "emoji": ("😀", "👩‍👩‍👧‍👦", "👍🏽", "❤️", "🇫🇷🇯🇵", "🏳️‍🌈", "☀️☂", "🤣", "🫠", "🧑‍🚀", "1️⃣", "©®™", "→←⇒", "♥♦", "✓✗", "🦔🚲"),
}
SPACES = (" ", "  ", "\t", "\n", "\r\n", "\u00a0", "\u1680", "\u2003", "\u2009", "\u2028", "\u2029", "\u202f",
          "\u205f", "\u3000", "\u200b", "\ufeff", "\u000b", "\u000c", "\u0085", "\u180e")
CONTROLS = [chr(c) for c in range(32)] + [chr(c) for c in (
    0x7F, 0x80, 0x9F, 0xAD, 0x600, 0x61C, 0x6DD, 0x70F, 0x8E2, 0x110BD, 0x110CD, 0x200B, 0x200C, 0x200D, 0x200E,
    0x202A, 0x202E, 0x2060, 0x2064, 0x206F, 0xE000, 0xF8FF, 0xFEFF, 0xFFF9, 0xFFFD, 0xFFFE, 0xFFFF, 0x1BCA0,
    0x1D173, 0xE0001, 0xE0020, 0xE007F, 0xF0000, 0x10FFFD, 0x10FFFF, 0x13430)]
PUNCTUATION = list("!\"#$%&'()*+,-./:;<=>?@[\\]^_`{|}~") + list("¡¿«»“”‘’„…–—‐‑·•§¶†‡‰′″‹›※⁂、。「」『』【】〜？！；：￥，．｡؛،؟।॥።᙭᛫‿⁀⸮⸺﹏﹪﹁﹗")
SYMBOLS = list("€£¥¢₹₽°±×÷≈≠≤≥∞√∑∫µΩ♯♭★☆■□▲△○●◎◇◆")
SPECIAL = ("[CLS]", "[SEP]", "[PAD]", "[UNK]", "[MASK]", "[cls]", "[Sep]", "[CLS", "CLS]", "[ CLS ]", "[CLS][SEP]",
           "a[MASK]b", "##ing", "## ing", "##", "[unused0]", "[unused1]", "<s>", "[[CLS]]")
RANGES = ((0x80, 0x24F), (0x250, 0x36F), (0x370, 0x52F), (0x530, 0x8FF), (0x900, 0xDFF), (0xE00, 0x13FF),
          (0x1400, 0x1CFF), (0x1D00, 0x20FF), (0x2100, 0x2BFF), (0x2C00, 0x2FFF), (0x3000, 0x33FF), (0x3400, 0x9FFF),
          (0xA000, 0xABFF), (0xAC00, 0xD7FF), (0xE000, 0xFFFF), (0x10000, 0x11FFF), (0x12000, 0x1CFFF),
          (0x1D000, 0x1FFFF), (0x20000, 0x2FFFF), (0x30000, 0x3FFFF), (0xE0000, 0xE01FF), (0xF0000, 0x10FFFF))


class Writer:
    def __init__(self):
        self.r = random.Random(SEED)
        self.script_words = [w for group in SCRIPTS.values() for w in group]

    def code_point(self):
        low, high = self.r.choice(RANGES)
        return chr(self.r.randint(low, high))

    def word(self):
        return self.r.choice(self.r.choice((WORDS, WORDS, ACCENTED, self.script_words)))

    def cased(self, word):
        return self.r.choice((str, str, str.upper, str.title))(word)

    def sentence(self, low=1, high=9, space=" "):
        return space.join(self.cased(self.word()) for _ in range(self.r.randint(low, high)))

    def normal_form(self):
        return unicodedata.normalize(self.r.choice(("NFC", "NFD", "NFKC", "NFKD")), self.sentence(1, 6))

    def script(self):
        group = SCRIPTS[self.r.choice(list(SCRIPTS))]
        return self.r.choice(("", " ")).join(self.r.choice(group) for _ in range(self.r.randint(1, 5)))

    def spaced(self):
        out = self.r.choice(("", self.r.choice(SPACES)))
        for _ in range(self.r.randint(1, 6)):
            out += self.word() + "".join(self.r.choice(SPACES) for _ in range(self.r.randint(1, 2)))
        return out

    def controlled(self):
        text = list(self.sentence(1, 5))
        for _ in range(self.r.randint(1, 6)):
            text.insert(self.r.randint(0, len(text)), self.r.choice(CONTROLS))
        return "".join(text)

    def punctuated(self):
        marks = self.r.choice((PUNCTUATION, PUNCTUATION, SYMBOLS))
        return "".join(self.r.choice((self.word(), self.r.choice(marks), self.r.choice(marks), " "))
                       for _ in range(self.r.randint(1, 10)))

    def special(self):
        return self.r.choice(("", " ")).join(self.r.choice((self.r.choice(SPECIAL), self.word()))
                                             for _ in range(self.r.randint(1, 5)))

    def combining(self):
        marks = [chr(c) for c in (0x300, 0x301, 0x308, 0x323, 0x327, 0x345, 0x5B0, 0x64E, 0x93C, 0x94D, 0xE31, 0x1734,
                                  0x1885, 0x1AB0, 0x1DFB, 0x20D0, 0x302A, 0xA9BD, 0xFE0F, 0xFE20, 0x101FD, 0xE0100)]
        return "".join(c + "".join(self.r.choice(marks) for _ in range(self.r.randint(0, 3)))
                       for c in self.r.choice(WORDS + ACCENTED))

    def random_points(self):
        return "".join(self.r.choice((self.code_point(), self.code_point(), self.r.choice("ab C9 .")))
                       for _ in range(self.r.randint(1, 10)))

    def alone(self):
        """One odd code point between letters: tells dropped, split and kept apart."""
        return "a" + self.r.choice((self.code_point(), self.r.choice(CONTROLS + PUNCTUATION))) + "b"

    def long_word(self):
        near = self.r.choice((99, 100, 101, 102, 120, 200))
        letter = self.r.choice(("a", "e", "é", "e\u0301", "\u200d", "ab", "한", "ß"))
        return self.r.choice(("", "see ")) + letter * near + self.r.choice(("", " end", "."))

    def long_text(self):
        return self.sentence(60, 160, self.r.choice((" ", ", ")))

    def near_limit(self):
        return " ".join(["cat"] * self.r.randint(122, 130)) + self.r.choice(("", " [SEP]", ".", " 猫"))


def texts():
    w = Writer()
    out = {"": None, " ": None, "\0": None, "\u0301": None, "\u200d": None, ".": None, "猫": None}
    shares = ((w.sentence, 16), (w.normal_form, 13), (w.script, 13), (w.spaced, 10), (w.controlled, 10),
              (w.punctuated, 12), (w.special, 6), (w.combining, 5), (w.random_points, 10), (w.alone, 4), (w.long_word, 2))
    makers = [m for m, n in shares for _ in range(n)]
    for _ in range(24):
        out[w.long_text()] = None
        out[w.near_limit()] = None
    while len(out) < COUNT:
        out[w.r.choice(makers)()] = None
    return list(out)
