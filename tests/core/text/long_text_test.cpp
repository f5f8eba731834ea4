// Texts longer than kLongestPart are tokenised in parts: the tokens are those of the whole where
// the parts end before a space, and memory does not grow with the text.
#include <gtest/gtest.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <random>
#include <thread>

#include "core/text/byte_bpe_tokenizer.h"
#include "core/text/unicode.h"
#include "core/text/utf8.h"
#include "core/text/wordpiece_tokenizer.h"
#include "tests/expect_error.h"
#include <gmock/gmock.h>
#include <algorithm>
#include "tests/core/text/merges.h"

namespace contrastive::text {
namespace {

AddedToken added(const char* content, int32_t id, const char* flags) {
  AddedToken token;
  token.content = content;
  token.id = id;
  for (; *flags != '\0'; ++flags) {
    token.single_word = token.single_word || *flags == 'w';
    token.lstrip = token.lstrip || *flags == 'l';
    token.rstrip = token.rstrip || *flags == 'r';
    token.normalized = token.normalized || *flags == 'n';
  }
  return token;
}

std::vector<AddedToken> added_tokens(int32_t first) {
  return {added("[M]", first, ""), added("<l>", first + 1, "l"), added("<R>", first + 2, "rn"),
          added("wo", first + 3, "w"), added("Aé", first + 4, "wn"), added("<b>", first + 5, "lrn"),
          added("<br>", first + 6, "lr"), added("a b", first + 7, "n"),
          // An added token in the white space that another one takes.
          added("\n", first + 8, ""), added(" e", first + 9, "n"), added("<r>", first + 10, "r")};
}

TokenizerParts wordpiece_parts(std::vector<NormalizerStep> steps) {
  TokenizerParts parts;
  parts.source = "test";
  TokenList tokens;
  for (const char* token : {"[UNK]", "[CLS]", "[SEP]", "a", "ab", "b", "##a", "##b", "##ab", ".",
                            "中", "é", "e", "##e", "##\u0301", "\u0301", "<", ">", "r"}) {
    tokens.emplace_back(token, static_cast<int32_t>(tokens.size()));
  }
  parts.normalizer = std::move(steps);
  parts.added_tokens = added_tokens(static_cast<int32_t>(tokens.size()));
  parts.vocabulary = std::make_shared<Vocabulary>(tokens, "test");
  parts.post_processor = bert_post_processor(1, 2);
  return parts;
}

const ByteBpe::Merges kMerges = {{"a", "b"}, {"Ġ", "a"},  {"b", "a"},  {"ab", "ab"},
                                 {"Ġ", "Ġ"}, {"ĠĠ", "Ġ"}, {"Ġa", "b"}, {"ba", "ba"},
                                 {"Ã", "©"}, {"a", "a"},  {"aa", "a"}};

TokenizerParts bpe_parts(std::vector<NormalizerStep> steps, bool all_bytes) {
  TokenizerParts parts;
  parts.source = "test";
  TokenList tokens;
  for (size_t byte = 0; byte < 256; ++byte) {
    if (all_bytes || byte != '.')
      tokens.emplace_back(byte_characters()[byte], static_cast<int32_t>(tokens.size()));
  }
  for (const auto& [left, right] : kMerges)
    tokens.emplace_back(left + right, static_cast<int32_t>(tokens.size()));
  for (const char* token : {"<s>", "</s>", "<unk>"})
    tokens.emplace_back(token, static_cast<int32_t>(tokens.size()));
  parts.normalizer = std::move(steps);
  parts.added_tokens = added_tokens(static_cast<int32_t>(tokens.size()));
  parts.vocabulary = std::make_shared<Vocabulary>(tokens, "test");
  const auto size = static_cast<int32_t>(tokens.size());
  parts.post_processor = roberta_post_processor(size - 3, size - 2);
  parts.post_processor.trim_offsets = true;
  return parts;
}

struct Family {
  std::string name;
  std::unique_ptr<Tokenizer> (*make)(const std::vector<NormalizerStep>& steps);
};

std::vector<Family> families() {
  return {{"wordpiece",
           [](const std::vector<NormalizerStep>& steps) -> std::unique_ptr<Tokenizer> {
             WordPieceOptions options;
             options.max_input_chars_per_word = 12;
             return std::make_unique<WordPieceTokenizer>(wordpiece_parts(steps), options);
           }},
          {"byte-bpe",
           [](const std::vector<NormalizerStep>& steps) -> std::unique_ptr<Tokenizer> {
             return std::make_unique<ByteBpeTokenizer>(bpe_parts(steps, true), kMerges,
                                                       ByteBpeOptions{}, ByteLevelOptions{});
           }},
          {"byte-bpe with a prefix space and unknown bytes",
           [](const std::vector<NormalizerStep>& steps) -> std::unique_ptr<Tokenizer> {
             TokenizerParts parts = bpe_parts(steps, false);
             return std::make_unique<ByteBpeTokenizer>(parts, kMerges,
                                                       ByteBpeOptions{"<unk>", true, 0},
                                                       ByteLevelOptions{true, true});
           }},
          {"byte-bpe of one piece",
           [](const std::vector<NormalizerStep>& steps) -> std::unique_ptr<Tokenizer> {
             return std::make_unique<ByteBpeTokenizer>(bpe_parts(steps, true), kMerges,
                                                       ByteBpeOptions{},
                                                       ByteLevelOptions{true, false});
           }},
          {"byte-bpe that drops bytes",
           [](const std::vector<NormalizerStep>& steps) -> std::unique_ptr<Tokenizer> {
             return std::make_unique<ByteBpeTokenizer>(bpe_parts(steps, false), kMerges,
                                                       ByteBpeOptions{}, ByteLevelOptions{});
           }}};
}

std::vector<std::vector<NormalizerStep>> normalizers() {
  using S = NormalizerStep;
  return {{},
          bert_steps(true, true, true, true),
          bert_steps(true, false, false, true),
          {S::kDecompose},
          {S::kClean, S::kDecompose, S::kLowerCase},
          {S::kLowerCase, S::kDecompose, S::kSpaceCjk, S::kDecompose, S::kDropMarks}};
}

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

// The additional memory in bytes that a child needs to tokenise `text`.
int64_t memory_of(const Tokenizer& tokenizer, const std::string& text, int32_t& full_length) {
  int answer[2];
  EXPECT_EQ(pipe(answer), 0);
  const pid_t child = fork();
  if (child == 0) {
    // Pages that the parent has written count for the child when it reads them, so read them before
    // the count starts.
    volatile char sink = 0;
    for (size_t i = 0; i < text.size(); i += 4096) sink = static_cast<char>(sink + text[i]);
    rusage before{}, after{};
    getrusage(RUSAGE_SELF, &before);
    TokenBatch batch;
    tokenizer.append(text, 128, batch);
    getrusage(RUSAGE_SELF, &after);
    const int64_t result[2] = {(after.ru_maxrss - before.ru_maxrss) * 1024, batch.full_lengths[0]};
    const bool written = write(answer[1], result, sizeof(result)) == sizeof(result);
    _exit(written && batch.tokens() <= 128 ? 0 : 1);
  }
  int64_t result[2] = {-1, -1};
  EXPECT_EQ(read(answer[0], result, sizeof(result)), static_cast<ssize_t>(sizeof(result)));
  int status = 0;
  waitpid(child, &status, 0);
  EXPECT_EQ(status, 0);
  close(answer[0]);
  close(answer[1]);
  full_length = static_cast<int32_t>(result[1]);
  return result[0];
}

TEST(LongText, MemoryDoesNotGrowWithTheText) {
  constexpr size_t kSize = 4000000;
  const std::pair<const char*, std::string> units[] = {{"words", "ab a. "},
                                                       {"one word", "ab"},
                                                       {"malformed", "ab\xFF \xC3"},
                                                       {"malformed only", "\xFF"},
                                                       {"spaces", " "},
                                                       {"marks", "\u0301"},
                                                       {"marks of two classes", "\u0301\u0327"},
                                                       {"ideographs", "中"},
                                                       {"control", "\x01"},
                                                       {"added tokens", "[M]"}};
  const TokenizerParts bert = wordpiece_parts(bert_steps(true, true, true, true));
  const TokenizerParts roberta = bpe_parts({}, true);
  const TokenizerParts decomposed = bpe_parts({NormalizerStep::kDecompose}, true);
  std::vector<std::pair<const char*, std::unique_ptr<Tokenizer>>> tokenizers;
  tokenizers.emplace_back("BERT's", std::make_unique<WordPieceTokenizer>(bert, WordPieceOptions{}));
  tokenizers.emplace_back("RoBERTa's",
                          std::make_unique<ByteBpeTokenizer>(roberta, kMerges, ByteBpeOptions{},
                                                             ByteLevelOptions{}));
  tokenizers.emplace_back("one with NFD",
                          std::make_unique<ByteBpeTokenizer>(decomposed, kMerges, ByteBpeOptions{},
                                                             ByteLevelOptions{}));
  for (const auto& [kind, tokenizer] : tokenizers) {
    for (const auto& [name, unit] : units) {
      std::string text;
      text.reserve(kSize + unit.size());
      while (text.size() < kSize) text += unit;
      int32_t full_length = 0;
      EXPECT_LT(memory_of(*tokenizer, text, full_length), int64_t{32} << 20)
          << kind << ", " << name;
      EXPECT_GE(full_length, 2);
    }
  }
}

// Bindings pass arrays of managed languages, which other threads may change. The memory after this
// text must not be read.
TEST(LongText, BytesThatChangeDuringTheCallHarmNoMemory) {
#if defined(__SANITIZE_THREAD__)
  GTEST_SKIP() << "the test is a race";
#endif
  const auto page = static_cast<size_t>(::sysconf(_SC_PAGESIZE));
  constexpr size_t kSize = 96;
  auto* const pages = static_cast<char*>(
      ::mmap(nullptr, 2 * page, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0));
  ASSERT_NE(pages, MAP_FAILED);
  ASSERT_EQ(::mprotect(pages + page, page, PROT_NONE), 0);
  volatile char* const bytes = pages + page - kSize;
  for (size_t i = 0; i < kSize; ++i) bytes[i] = 'a';
  std::atomic<bool> over{false};
  std::thread writer([&] {
    std::mt19937_64 random(3);
    // Mostly well-formed texts, so that validity checks pass; then lead bytes that need bytes
    // beyond the end, and invalid ones.
    while (!over) {
      const uint64_t chosen = random();
      bytes[kSize - 1 - chosen % 4] = "\xF4\xF7\xFF\xE2\xC3"
                                      "a b"[chosen >> 8 & 7];
      for (int pause = 0; pause < 50; ++pause) bytes[kSize - 1] = 'a';
      bytes[chosen % kSize] = "\xF4\xBF\xBF\xBF\xCC"
                              "a b"[chosen >> 16 & 7];
      for (size_t i = 0; i < kSize; ++i) bytes[i] = "a \xC3\xA9 [M]"[i % 8];
    }
  });
  int64_t tokens = 0;
  for (const Family& family : families()) {
    for (const auto& steps : normalizers()) {
      const auto tokenizer = family.make(steps);
      for (int i = 0; i < 200; ++i) {
        TokenBatch batch;
        tokenizer->append({pages + page - kSize, kSize}, 0, batch);
        tokens += batch.tokens() + tokenizer->encode({pages + page - kSize, kSize}, 0).full_length;
      }
    }
  }
  over = true;
  writer.join();
  EXPECT_GT(tokens, 0);
  ::munmap(pages, 2 * page);
}

}  // namespace
}  // namespace contrastive::text
