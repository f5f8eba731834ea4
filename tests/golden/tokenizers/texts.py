"""Text of the project's own for the tokenizers: sentences in many scripts, the awkward corners of
Unicode, and generators. No real data."""

import random

SENTENCES = [
    "The quick brown fox jumps over the lazy dog, doesn't it? It's "
    "3.14 o'clock; they'll say we've won!",
    "A library for contrastive learning of sentence embeddings: load, encode, compare, train, "
    "save.",
    "Résumé, naïve, café, Ångström, crème brûlée, señor, coöperate, Dvořák, Łódź, İstanbul, "
    "ĲSSELMEER, ſtraße ẞ ß.",
    "Re\u0301sume\u0301, nai\u0308ve, cafe\u0301, A\u030angstro\u0308m, q\u0323\u0307 "
    "q\u0307\u0323, a\u0315\u0300\u05ae\u0062, o\u0328\u0304 \u01ed.",
    "Der Fluß fließt über Größe und Übermut; Straßenbahnhaltestellenschild.",
    "Le cœur déçu mais l'âme plutôt naïve, Louÿs rêva de crapaüter en canoë au delà des îles.",
    "El pingüino Wenceslao hizo kilómetros bajo exhaustiva lluvia y "
    "frío; ¿añoraba a su querido cachorro?",
    "Pójdźże, kiń tę chmurność w głąb flaszy! Nechť již hříšné saxofony ďáblů rozezvučí síň.",
    "Съешь ещё этих мягких французских булок, да выпей же чаю. Ёлка, йод, Київ, ђак.",
    "Ξεσκεπάζω την ψυχοφθόρα βδελυγμία. ΟΔΟΣ ΣΟΦΟΣ Άνθρωπος ΐ ΰ ᾳ ᾂ ᾼ.",
    "זה כיף סתם לשמוע איך תנצח קרפד עץ טוב בגן. שָׁלוֹם עֲלֵיכֶם",
    "صِف خَلقَ خَودٍ كَمِثلِ الشَمسِ إِذ بَزَغَت، ١٢٣٤؟ السلام عليكم — ﷺ ﻻ",
    "ऋषियों को सताने वाले दुष्ट राक्षसों के राजा रावण का सर्वनाश। हिन्दी में १२३ क्षत्रिय",
    "আমার সোনার বাংলা ৪৫৬; தமிழ் மொழி அழகு; తెలుగు భాష; ಕನ್ನಡ; മലയാളം; ગુજરાતી; ਪੰਜਾਬੀ; සිංහල",
    "เป็นมนุษย์สุดประเสริฐเลิศคุณค่า ກຂຄ မြန်မာဘာသာ ភាសាខ្មែរ བོད་སྐད་ ᠮᠣᠩᠭᠣᠯ",
    "私は猫です。吾輩は猫である。カタカナとひらがな、ﾊﾝｶｸ、が か\u3099 パ ハ\u309a、１２３ＡＢＣ「引用」",
    "我能吞下玻璃而不伤身体。繁體中文，臺灣。𠜎𠜱𠝹 㐀㐁 豈更 丽 龦 𫝀 𫠠",
    "다람쥐 헌 쳇바퀴에 타고파. \u1112\u1161\u11ab\u1100\u1173\u11af 각 뷁 ㄱㄴㄷ ﾡ",
    "ქართული ენა, Հայերեն լեզու և, አማርኛ ቋንቋ, ᏣᎳᎩ ꭰꭱ, ᚠᚢᚦ, 𐐀𐐨 𞤀𞤢 ⴰⵎⴰⵣⵉⵖ",
    "👨‍👩‍👧‍👦 👩🏽‍🚀 🏳️‍🌈 🇩🇪🇫🇷 1️⃣ ☝🏿 ❤️ 🤷🏻‍♀️ 🧑‍⚕️ ⛹️‍♂️ 🫠 🪿",
    "Math: ∀x∈ℝ: ⌈x⌉ = −⌊−x⌋, α ∧ ¬β = ¬(¬α ∨ β), ∑∏∫ 𝒜𝔅ℂ 𝟘𝟙 ½ ⅔ x² H₂O Ⅷ ⅷ № ℡ ™ ① ⑴ Ⓐ ⓐ",
    "Money: $5 €6 £7 ¥8 ₹9 ₿10 ¢ ₽; quotes: “a” ‘b’ «c» „d“ ‹e› 「f」; "
    "dashes - ‐ ‑ ‒ – — ―; … ‥ · • ‣ ※ § ¶ † ‡",
    "ASCII symbols: !\"#$%&'()*+,-./:;<=>?@[\\]^_`{|}~ and ~/.config/file_name-v2.0.tar.gz "
    "http://example.org/?q=1&r=%20#x a@b.c",
    "tabs\tand\nnewlines\r\n"
    "and\x0bvertical\x0cform\x85next\u2028line\u2029par\xa0nbsp"
    "\u2003em\u3000wide\u200bzero\ufeffbom\u1680ogham\u180emvs "
    "end",
    "control \x00\x01\x02\x07\x1b[31mred\x1b[0m \x7f \x80\x9f soft\xadhyphen \u202eRLO\u202c "
    "\u2066iso\u2069 \ue000 \U000f0000 \ufffd \uffff \U0010ffff",
    "[CLS] [SEP] [MASK] [PAD] [UNK] [mask] [ MASK ] x[MASK]y <s> </s> <mask> <pad> <unk> a "
    "<mask> b<mask>c  <mask>  <mask> ##s ##",
    "I'm you're he's she'd we'll they've it's don't 'tis 'S 'T 'LL o''clock ''s ' s 's't",
    "   leading and trailing   ",
    " ",
    "",
    "\t\n",
    "a",
    " a",
    "a ",
    "  a",
    "a  b   c    d",
    "\u3000a\u3000",
    "\u00a0",
    "\u0301",
    "\u0301a",
    "a\u0301",
    "x" * 99,
    "x" * 100,
    "x" * 101,
    "é" * 100,
    "é" * 101,
    "中" * 150,
    "ab" * 300,
    "日" + "\u0301" * 5 + "本",
    "!" * 120,
    "1" * 130,
    " " * 300 + "z",
    "supercalifragilisticexpialidocious antidisestablishmentarianism "
    "pneumonoultramicroscopicsilicovolcanoconiosis",
    "unbelievable unbelievably tokenization tokenizers embeddings contrastively "
    "2023-11-05T12:34:56Z 1,234,567.89 0xDEADBEEF 1e-5",
    "e\u0323\u0302\u0301 \u0f71\u0f72\u0f74 \u1b44\u1b35 \u302e\u302f\u0301 "
    "\U0001d157\U0001d165\U0001d16e \u0344 \u0958 \u2adc \ufb2c "
    "\ufb1d \uf900 \u212b \u2126 \u1f82",
    "a\U00011099\U000110ba \U0001134b\u0301 \ua9c0\ua9bd\u1885 \u1734 \U00016ff0\U00016ff1\u0323 "
    "\u1dfa\u1df6 \u0898\u0301 \U0001e2ae\u0323",
    "ﬁ ﬂ ﬃ ﬀ ﬅ ﷲ Ⅳ ㎏ ㍿ ｆｕｌｌ Ｗｉｄｔｈ",
    "\u1e9e \u0130 \u0131 \u01c5 \u1fbc \u03a3 \u10a0 \u1c90 \u13a0 \uab70 \ua7ae \U00010400 "
    "\u2c2f \ua7cb \ua7dc \u1c89",
]

# As bytes: each malformed in its own way.
MALFORMED = [
    b"\xff\xfe",
    b"ab\x80cd",
    b"\xc3",
    b"a\xc3(b",
    b"\xe2\x82",
    b"\xe2\x82 x",
    b"\xe2(\xa1",
    b"\xf0\x9f\x98",
    b"\xf0\x9f\x98 \xf0\x9f",
    b"\xf0\x28\x8c\xbc",
    b"\xc0\x80",
    b"\xc1\xbf x",
    b"\xe0\x80\xaf",
    b"\xe0\x9f\xbf",
    b"\xf0\x80\x80\xaf",
    b"\xf0\x8f\xbf\xbf y",
    b"\xed\xa0\x80",
    b"\xed\xa0\xbd\xed\xb8\x80 cesu",
    b"\xed\xbf\xbf",
    b"\xf4\x90\x80\x80",
    b"\xf5\x80\x80\x80",
    b"\xf8\x88\x80\x80\x80",
    b"caf\xe9 latin-1",
    b"\xe4\xb8\xad\xe4\xb8 \xad",
    b"<ma\xffsk> <mask>\xff",
    b"ok \xef\xbf\xbd ok \xef\xbf",
    b"\x80" * 40,
    b"x\xcc\x81\xcc y",
]


def assigned_code_points():
    """Everything that any Unicode version up to 17 may have assigned, noncharacters and a part of
    the private and empty planes included."""
    for c in range(0x110000):
        if 0xD800 <= c < 0xE000:
            continue
        if c < 0x33480 or 0xE0000 <= c < 0xE0200 or c % 251 == 0 or c % 0x10000 >= 0xFFFE:
            yield c


def is_uniform(c):
    """Inside the blocks of ideographs and syllables, where one character is like the next."""
    return (
        0x3400 <= c < 0x9F00
        or 0xAC00 <= c < 0xD700
        or 0x17000 <= c < 0x18C00
        or 0x20000 <= c < 0x33400
    )


def in_context(c):
    x = chr(c)
    return f"{x} a{x}b e{x}\u0323\u0301 1{x}{x}!{x} \u0301{x}"


def random_text(rng, longest=60):
    """Characters of one or two blocks with spaces, accents and punctuation between them."""
    blocks = [
        (0x20, 0x7F),
        (0x20, 0x7F),
        (0x61, 0x7B),
        (0xA0, 0x250),
        (0x300, 0x370),
        (0x370, 0x530),
        (0x590, 0x700),
        (0x900, 0xE00),
        (0xE00, 0x1200),
        (0x1A00, 0x1CFF),
        (0x1D00, 0x2000),
        (0x2000, 0x2C00),
        (0x3000, 0x3400),
        (0x4E00, 0x9FFF),
        (0xA640, 0xAC00),
        (0xAC00, 0xD7A4),
        (0xF900, 0xFFFF),
        (0x10000, 0x11000),
        (0x11000, 0x12000),
        (0x1D000, 0x1D800),
        (0x1E000, 0x1F000),
        (0x1F000, 0x1FB00),
        (0x20000, 0x20100),
        (0, 0x20),
    ]
    chosen = [rng.choice(blocks) for _ in range(rng.randint(1, 3))]
    out = []
    for _ in range(rng.randint(0, longest)):
        kind = rng.random()
        if kind < 0.15:
            out.append(" ")
        elif kind < 0.20:
            out.append(rng.choice("\u0301\u0323\u0308'’.,-!\t\n\u00a0\u3000\u200d\ufe0f"))
        elif kind < 0.22:
            out.append(
                rng.choice(
                    [
                        "[MASK]",
                        "<mask>",
                        "[SEP]",
                        "</s>",
                        "'s",
                        "'ll",
                        "  ",
                        "<ent>",
                        "New York",
                        "NEW york",
                    ]
                )
            )
        else:
            out.append(chr(rng.randrange(*rng.choice(chosen))))
    return "".join(c for c in out if not 0xD800 <= ord(c[0]) < 0xE000)


def random_bytes(rng):
    data = bytearray(random_text(rng).encode())
    for _ in range(rng.randint(1, 4)):
        if data:
            at = rng.randrange(len(data))
            if rng.random() < 0.5:
                data[at] = rng.randrange(256)
            else:
                del data[at]
    return bytes(data)


def generated(count, seed):
    rng = random.Random(seed)
    return [random_text(rng) for _ in range(count)], [random_bytes(rng) for _ in range(count // 4)]


def huge():
    """Lines that cost quadratic time where a tokenizer is careless. Each has at most 1 MiB:
    the library tokenizes longer texts in parts."""
    return [
        "a" * 1_000_000,
        "é" * 500_000,
        " " * 1_000_000,
        "e" + "\u0301" * 500_000,
        "e" + "\u0301\u0323\u1b44" * 100_000,
        "中" * 300_000,
        "!" * 1_000_000,
        "ab" * 500_000,
        "don't stop the 42 birds; " * 40_000,
        "\x00" * 1_000_000,
        "[MASK" * 200_000,
        "<mask> " * 100_000,
        "\u1100\u1161\u11a8" * 100_000,
    ]
