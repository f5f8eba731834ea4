#include "core/text/normalizer.h"

#include <gtest/gtest.h>

#include "core/base/rng.h"
#include "core/text/utf8.h"

namespace contrastive::text {
namespace {

std::string normalized(const std::vector<NormalizerStep>& steps, std::string_view text) {
  NormalizedText out;
  Normalizer(steps).normalize(text, 0, false, out);
  return std::string(out.bytes);
}

TEST(Normalizer, UncasedBert) {
  const auto steps = bert_steps(true, true, true, true);
  EXPECT_EQ(normalized(steps, "Résumé \tNAÏVE"), "resume  naive");
  EXPECT_EQ(normalized(steps, "a\u0301b\u200Dc\u00ADd"), "abcd");
  EXPECT_EQ(normalized(steps, std::string_view("a\0b", 3)), "ab");
  EXPECT_EQ(normalized(steps, "中a國"), " 中 a 國 ");
  EXPECT_EQ(normalized(steps, "ΟΔΟΣ"), "οδοσ");  // not a final sigma
  EXPECT_EQ(normalized(steps, "İ"), "i");
  EXPECT_EQ(normalized(steps, ""), "");
  EXPECT_EQ(normalized(steps, "\x01\x02"), "");
}

TEST(Normalizer, EachOptionOfBertAlone) {
  EXPECT_EQ(normalized(bert_steps(true, false, false, false), "É\x07 中\n"), "É 中 ");
  EXPECT_EQ(normalized(bert_steps(false, true, false, false), "É\x07中"), "É\x07 中 ");
  EXPECT_EQ(normalized(bert_steps(false, false, true, false), "É\x07中"), "E\x07中");
  EXPECT_EQ(normalized(bert_steps(false, false, false, true), "É\x07İ"), "é\x07i\u0307");
  EXPECT_EQ(normalized({}, "É\x07中"), "É\x07中");
}

TEST(Normalizer, DecompositionPutsMarksInOrder) {
  EXPECT_EQ(normalized({NormalizerStep::kDecompose}, "e\u0301\u0323"), "e\u0323\u0301");
  EXPECT_EQ(normalized({NormalizerStep::kDecompose}, "\u1EBF\u0323"), "e\u0323\u0302\u0301");
  // U+0344 gives two marks of one class, which keep their order.
  EXPECT_EQ(normalized({NormalizerStep::kDecompose}, "\u0344"), "\u0308\u0301");
  EXPECT_EQ(normalized({NormalizerStep::kDecompose, NormalizerStep::kDropMarks},
                       "e\u0301\u0323\u0903"),
            "e");
}

TEST(Normalizer, AlignmentNamesTheCharacterThatAByteCameFrom) {
  NormalizedText out;
  Normalizer(bert_steps(true, true, true, true)).normalize("É\u200D中", 10, true, out);
  ASSERT_EQ(out.bytes, "e 中 ");
  EXPECT_EQ(out.begins, (std::vector<int64_t>{10, 15, 15, 15, 15, 15}));
  EXPECT_EQ(out.ends, (std::vector<int64_t>{12, 18, 18, 18, 18, 18}));
  take_as_given("aé", 3, true, out);
  EXPECT_EQ(out.begins, (std::vector<int64_t>{3, 4, 4}));
  EXPECT_EQ(out.ends, (std::vector<int64_t>{4, 6, 6}));
}

// The normalizer's fast and slow path must agree for a text without marks that are reordered. A
// text with such marks takes the slow path as a whole, so a text and the same text followed by such
// a mark must agree up to the mark.
TEST(Normalizer, BothWaysThroughItAgree) {
  const Normalizer normalizer(bert_steps(true, true, true, true));
  const std::string kept_mark = " \u1B44";  // category Mc, class 9: neither dropped nor of class 0
  NormalizedText fast, slow;
  for (uint64_t example = 0; example < 3000; ++example) {
    Rng rng(1, Purpose::kSubset, 0, example);
    std::string text;
    for (uint64_t i = rng.below(30); i > 0; --i) {
      char32_t c = static_cast<char32_t>(rng.below(rng.below(2) == 0 ? 0x250 : 0x11000));
      if (c >= 0xD800 && c < 0xE000) c = U'x';
      append_utf8(c, text);
    }
    normalizer.normalize(text, 0, true, fast);
    normalizer.normalize(text + kept_mark, 0, true, slow);
    ASSERT_EQ(std::string(fast.bytes) + kept_mark, slow.bytes) << "example " << example;
    slow.begins.resize(fast.begins.size());
    slow.ends.resize(fast.ends.size());
    ASSERT_EQ(fast.begins, slow.begins);
    ASSERT_EQ(fast.ends, slow.ends);
  }
}

TEST(Normalizer, AMillionMarksTakeLinearTime) {
  std::string text = "e";
  for (int i = 0; i < 500000; ++i) text += i % 2 == 0 ? "\u0301" : "\u1B44";
  const std::string out = normalized(bert_steps(true, true, true, true), text);
  EXPECT_EQ(out.size(), 1 + 3 * 250000u);  // only the accents are gone
}

}  // namespace
}  // namespace contrastive::text
