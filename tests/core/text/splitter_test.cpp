#include "core/text/splitter.h"

#include <gtest/gtest.h>

namespace contrastive::text {
namespace {

using Pieces = std::vector<std::string>;
using Splitters = std::vector<std::shared_ptr<const Splitter>>;

Pieces pieces(const Splitters& splitters, std::string_view text, size_t from = 0) {
  NormalizedText given;
  take_as_given(text, 0, true, given);
  PieceList list;
  list.text = &given;
  list.pieces.assign(1, {from, text.size()});
  for (const auto& splitter : splitters) splitter->split(list);
  Pieces found;
  for (const Span& piece : list.pieces)
    found.emplace_back(list.text->bytes.substr(piece.begin, piece.end - piece.begin));
  EXPECT_EQ(list.text->begins.size(), list.text->bytes.size());
  return found;
}

std::shared_ptr<const Splitter> at(const char* pattern, SplitBehavior behavior,
                                   bool invert = false) {
  return std::make_shared<PatternSplitter>(literal_pattern(pattern), behavior, invert);
}

TEST(Splitter, WhatBecomesOfMatches) {
  const std::string text = "a--b-c-";
  EXPECT_EQ(pieces({at("-", SplitBehavior::kRemoved)}, text), (Pieces{"a", "b", "c"}));
  EXPECT_EQ(pieces({at("-", SplitBehavior::kIsolated)}, text),
            (Pieces{"a", "-", "-", "b", "-", "c", "-"}));
  EXPECT_EQ(pieces({at("-", SplitBehavior::kMergedWithPrevious)}, text),
            (Pieces{"a-", "-", "b-", "c-"}));
  EXPECT_EQ(pieces({at("-", SplitBehavior::kMergedWithNext)}, text),
            (Pieces{"a", "-", "-b", "-c", "-"}));
  EXPECT_EQ(pieces({at("-", SplitBehavior::kContiguous)}, text),
            (Pieces{"a", "--", "b", "-", "c", "-"}));
  EXPECT_EQ(pieces({at("-", SplitBehavior::kRemoved, true)}, text), (Pieces{"-", "-", "-", "-"}));
  EXPECT_EQ(pieces({at("-", SplitBehavior::kMergedWithPrevious, true)}, text),
            (Pieces{"a", "-", "-b", "-c", "-"}));
}

TEST(Splitter, ClassesOfCharacters) {
  EXPECT_EQ(pieces({whitespace_split()}, " a\u00A0b\u200Bc\u3000d\u001Ce\u0085f"),
            (Pieces{"a", "b\u200Bc", "d\u001Ce", "f"}));
  EXPECT_EQ(pieces({std::make_shared<WordSplitter>()}, "a's b_1 é!!"),
            (Pieces{"a", "'", "s", "b_1", "é", "!!"}));
  EXPECT_EQ(pieces({digits_split(true)}, "a123 ٣½Ⅷ4"),
            (Pieces{"a", "1", "2", "3", " ", "٣", "½", "Ⅷ", "4"}));
  EXPECT_EQ(pieces({digits_split(false)}, "a123 ٣½Ⅷ4"), (Pieces{"a", "123", " ", "٣½Ⅷ4"}));
  EXPECT_EQ(pieces({punctuation_split(SplitBehavior::kIsolated)}, "b «c» $x+y"),
            (Pieces{"b ", "«", "c", "»", " ", "$", "x", "+", "y"}));
  EXPECT_EQ(pieces({std::make_shared<BertSplitter>()}, " a.b  c"), (Pieces{"a", ".", "b", "c"}));
  EXPECT_TRUE(pieces({whitespace_split()}, " \t\n").empty());
}

std::shared_ptr<const Splitter> metaspace(MetaspaceSplitter::Prepend prepend, bool split = true) {
  return std::make_shared<MetaspaceSplitter>("▁", prepend, split);
}

TEST(Splitter, Metaspace) {
  using Prepend = MetaspaceSplitter::Prepend;
  EXPECT_EQ(pieces({metaspace(Prepend::kAlways)}, " a  b "), (Pieces{"▁a", "▁", "▁b", "▁"}));
  EXPECT_EQ(pieces({metaspace(Prepend::kNever)}, "a b"), (Pieces{"a", "▁b"}));
  EXPECT_EQ(pieces({metaspace(Prepend::kAlways, false)}, "a b"), (Pieces{"▁a▁b"}));
  EXPECT_EQ(pieces({metaspace(Prepend::kAlways)}, "▁a"), (Pieces{"▁a"}));
  EXPECT_EQ(pieces({metaspace(Prepend::kFirst)}, "a b"), (Pieces{"▁a", "▁b"}));
  EXPECT_EQ(pieces({metaspace(Prepend::kFirst)}, "xa b", 1),
            (Pieces{"a", "▁b"}));  // not at the begin of the text
  EXPECT_EQ(pieces({whitespace_split(), metaspace(Prepend::kAlways)}, "a  b"),
            (Pieces{"▁a", "▁b"}));
}

TEST(Splitter, Scripts) {
  const Splitters scripts = {std::make_shared<ScriptSplitter>()};
  EXPECT_EQ(pieces(scripts, "どこで生れ。Yes"),
            (Pieces{"どこで生れ", "。", "Yes"}));  // Hiragana counts as Han
  EXPECT_EQ(pieces(scripts, " Apples are りんご 林檎"),
            (Pieces{"Apples are ", "りんご 林檎"}));  // a leading space does not belong to a run
  EXPECT_EQ(pieces(scripts, "aー б1"), (Pieces{"a", "ー ", "б", "1"}));
  EXPECT_TRUE(pieces(scripts, "  ").empty());
}

TEST(Splitter, Lengths) {
  EXPECT_EQ(pieces({std::make_shared<LengthSplitter>(2)}, "aé中bc"), (Pieces{"aé", "中b", "c"}));
  EXPECT_EQ(pieces({whitespace_split(), std::make_shared<LengthSplitter>(5)}, "abcdef gh"),
            (Pieces{"abcde", "f", "gh"}));
}

TEST(Splitter, ByteLevelWritesBytes) {
  EXPECT_EQ(pieces({std::make_shared<ByteLevelSplitter>(false, false)}, "a b é"),
            (Pieces{"aĠbĠÃ©"}));
  EXPECT_EQ(pieces({std::make_shared<ByteLevelSplitter>(true, true)}, "a b"), (Pieces{"Ġa", "Ġb"}));
  EXPECT_EQ(pieces({digits_split(true), std::make_shared<ByteLevelSplitter>(false, false)}, "a1 b"),
            (Pieces{"a", "1", "Ġb"}));
}

}  // namespace
}  // namespace contrastive::text
