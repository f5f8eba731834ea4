// Texts longer than kLongestPart are tokenised in parts: the tokens are those of the whole where
// the parts end before a space, and memory does not grow with the text.
#include <gtest/gtest.h>

#include <algorithm>
#include <random>
#include <string>
#include <string_view>
#include <vector>

#include "core/text/unicode.h"
#include "core/text/utf8.h"
#include "tests/core/text/long_texts.h"
#include "tests/expect_error.h"

namespace contrastive::text {
namespace {

// Words, malformed ones too, with one space or two between them. Each word keeps a character before
// the next space, whatever the normaliser drops, and gets no space of an ideograph there.
std::string make_text(size_t size) {
  static const std::string_view kWords[] = {
      "a",  "ab", "abba",     "A",      "é",         "e\u0301", "e\u0301\u0327",
      ".",  "'s", "\xFF\x61", "a\xC3.", "[M]",       "中a",     "<l>",
      "wo", "Aé", "a\nb",     "1",      "\xF0\x9F.", "\uFFFD.", "İ",
      "ế",  "😀"};
  std::mt19937_64 random(7);
  std::string text;
  while (text.size() < size) {
    for (size_t run = 1 + random() % 3; run > 0; --run)
      text += kWords[random() % std::size(kWords)];
    text += random() % 8 == 0 ? "  " : " ";
  }
  return text;
}

// The tokens of pieces of about a kilobyte that end before a space, one after the other.
Encoding encode_pieces(const Tokenizer& tokenizer, const std::string& text) {
  Encoding all;
  for (size_t begin = 0; begin < text.size();) {
    size_t end = std::min(text.find(' ', begin + 1000), text.size());
    while (end < text.size() && text[end - 1] == ' ') --end;
    const Encoding piece = tokenizer.encode(std::string_view(text).substr(begin, end - begin), 0);
    for (size_t i = 0; i < piece.ids.size(); ++i) {
      if (piece.begins[i] < 0) continue;  // a special token
      all.ids.push_back(piece.ids[i]);
      all.begins.push_back(piece.begins[i] + static_cast<int64_t>(begin));
      all.ends.push_back(piece.ends[i] + static_cast<int64_t>(begin));
    }
    begin = end;
  }
  return all;
}

TEST(LongText, PartsEndBeforeASpaceAndGiveTheTokensOfTheWhole) {
  const std::string text = make_text(kLongestPart * 5 / 2);
  for (const Family& family : families()) {
    size_t steps_index = 0;
    for (const auto& steps : normalizers()) {
      SCOPED_TRACE(family.name + ", normaliser " + std::to_string(steps_index++));
      const auto tokenizer = family.make(steps);
      const Encoding pieces = encode_pieces(*tokenizer, text), whole = tokenizer->encode(text, 0);
      const auto special = static_cast<size_t>(whole.full_length) - pieces.ids.size();
      ASSERT_EQ(special, 2u);
      const auto inner = [](const auto& list) {
        return std::vector(list.begin() + 1, list.end() - 1);
      };
      EXPECT_TRUE(inner(whole.ids) == pieces.ids);
      EXPECT_TRUE(inner(whole.begins) == pieces.begins);
      EXPECT_TRUE(inner(whole.ends) == pieces.ends);
      TokenBatch batch;
      tokenizer->append(text, 100, batch);
      EXPECT_EQ(batch.full_lengths[0], whole.full_length);
      EXPECT_TRUE(std::equal(batch.ids.begin(), batch.ids.end() - 1, whole.ids.begin()));
    }
  }
}

TEST(LongText, TruncationOnTheLeftKeepsTheLastPart) {
  TokenizerParts parts = wordpiece_parts({});
  parts.truncates_left = true;
  const WordPieceTokenizer tokenizer(parts, {});
  const Encoding end = tokenizer.encode("b . a", 0);
  std::string text;
  while (text.size() < 2 * kLongestPart) text += "ab ";
  EXPECT_EQ(tokenizer.encode(text + "b . a", 5).ids, end.ids);
}

// Without a space a part ends after a whole character, or after a whole malformed sequence.
TEST(LongText, AWordWithoutEndIsCutBetweenCharacters) {
  const WordPieceTokenizer words(wordpiece_parts({}), {});
  const Encoding encoding = words.encode("b " + std::string(kLongestPart + 100, 'a') + " .", 0);
  const auto word = static_cast<int64_t>(kLongestPart);
  EXPECT_EQ(encoding.ids, (std::vector<int32_t>{1, 5, 0, 0, 9, 2}));  // two unknown words
  EXPECT_EQ(encoding.begins, (std::vector<int64_t>{-1, 0, 2, 1 + word, 103 + word, -1}));
  EXPECT_EQ(encoding.ends, (std::vector<int64_t>{-1, 1, 1 + word, 102 + word, 104 + word, -1}));

  const ByteBpeTokenizer bytes(bpe_parts({}, true), {}, ByteBpeOptions{}, ByteLevelOptions{});
  for (const std::string character : {"é", "中", "😀", "\x80", "\xE2\x82", "\xF0\x9F\x98"}) {
    std::string repeated, repaired;
    while (repeated.size() < kLongestPart + 64) repeated += character;
    for (size_t at = 0; at < character.size();) append_utf8(decode_utf8(character, at), repaired);
    const auto count = static_cast<int64_t>(repeated.size() / character.size() * repaired.size());
    for (int64_t before = 0; before < 4; ++before) {
      const std::string text = std::string(static_cast<size_t>(before), '.') + repeated;
      EXPECT_EQ(bytes.encode(text, 0).full_length, before + count + 2) << character << before;
    }
  }
}

TEST(LongText, AMalformedByteOfALaterPartIsNamed) {
  TokenizerParts parts = wordpiece_parts({});
  parts.invalid_utf8 = InvalidUtf8::kError;
  const WordPieceTokenizer strict(parts, {});
  const std::string text(2 * kLongestPart, '.');
  expect_error(Status::kFormat, "at byte " + std::to_string(2 * kLongestPart),
               [&] { strict.encode(text + "\xFF", 0); });
}

}  // namespace
}  // namespace contrastive::text
