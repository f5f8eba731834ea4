// Long texts are tokenised piece by piece: the tokens must equal those of the whole text, and
// memory must not grow with the text.
#include <gmock/gmock.h>
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
#include "core/text/long_piece.h"
#include "core/text/wordpiece_tokenizer.h"

namespace contrastive::text {
namespace {

constexpr size_t kWhole = size_t{1} << 40;  // a window longer than any text

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

TokenizerParts wordpiece_parts(std::vector<NormalizerStep> steps, size_t window,
                               bool left = false) {
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
  parts.window = window;
  parts.truncates_left = left;
  return parts;
}

const ByteBpe::Merges kMerges = {{"a", "b"}, {"Ġ", "a"},  {"b", "a"},  {"ab", "ab"},
                                 {"Ġ", "Ġ"}, {"ĠĠ", "Ġ"}, {"Ġa", "b"}, {"ba", "ba"},
                                 {"Ã", "©"}, {"a", "a"},  {"aa", "a"}};

TokenizerParts bpe_parts(std::vector<NormalizerStep> steps, size_t window, bool all_bytes,
                         bool left = false) {
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
  parts.window = window;
  parts.truncates_left = left;
  return parts;
}

struct Family {
  std::string name;
  std::unique_ptr<Tokenizer> (*make)(const std::vector<NormalizerStep>& steps, size_t window,
                                     bool left);
};

std::vector<Family> families() {
  return {
      {"wordpiece",
       [](const std::vector<NormalizerStep>& steps, size_t window,
          bool left) -> std::unique_ptr<Tokenizer> {
         WordPieceOptions options;
         options.max_input_chars_per_word = 12;
         return std::make_unique<WordPieceTokenizer>(wordpiece_parts(steps, window, left), options);
       }},
      {"byte-bpe",
       [](const std::vector<NormalizerStep>& steps, size_t window,
          bool left) -> std::unique_ptr<Tokenizer> {
         return std::make_unique<ByteBpeTokenizer>(bpe_parts(steps, window, true, left), kMerges,
                                                   ByteBpeOptions{}, ByteLevelOptions{});
       }},
      {"byte-bpe with a prefix space and unknown bytes",
       [](const std::vector<NormalizerStep>& steps, size_t window,
          bool left) -> std::unique_ptr<Tokenizer> {
         TokenizerParts parts = bpe_parts(steps, window, false, left);
         parts.post_processor.trim_keeps_prefix_space = true;
         return std::make_unique<ByteBpeTokenizer>(parts, kMerges, ByteBpeOptions{"<unk>", true, 0},
                                                   ByteLevelOptions{true, true});
       }},
      {"byte-bpe of one piece",
       [](const std::vector<NormalizerStep>& steps, size_t window,
          bool left) -> std::unique_ptr<Tokenizer> {
         return std::make_unique<ByteBpeTokenizer>(bpe_parts(steps, window, true, left), kMerges,
                                                   ByteBpeOptions{}, ByteLevelOptions{true, false});
       }},
      {"byte-bpe that drops bytes",
       [](const std::vector<NormalizerStep>& steps, size_t window,
          bool left) -> std::unique_ptr<Tokenizer> {
         return std::make_unique<ByteBpeTokenizer>(bpe_parts(steps, window, false, left), kMerges,
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

// Fragments at which texts are split, in runs of one or a few of them.
std::string make_text(std::mt19937_64& random) {
  static const std::vector<std::string> kBits = {"a",
                                                 "b",
                                                 "ab",
                                                 "A",
                                                 "é",
                                                 "e",
                                                 " ",
                                                 "  ",
                                                 "\t",
                                                 "\n",
                                                 "\u00A0",
                                                 "\u3000",
                                                 ".",
                                                 "'",
                                                 "'s",
                                                 "'re",
                                                 "'l",
                                                 "1",
                                                 "中",
                                                 "中",
                                                 "\u0301",
                                                 "\u0327",
                                                 "\u0344",
                                                 "\u1B44",
                                                 "\u302E",
                                                 "\u1D165",
                                                 "\U0001D165",
                                                 "\xFF",
                                                 "\xC3",
                                                 "\xF0\x9F",
                                                 "\x80",
                                                 "\xE2\x82",
                                                 std::string(1, '\0'),
                                                 "\x01",
                                                 "\xEF\xBF\xBD",
                                                 "[M]",
                                                 "[M",
                                                 "<l>",
                                                 "<R>",
                                                 "<r>",
                                                 "wo",
                                                 "Aé",
                                                 "aé",
                                                 "<b>",
                                                 "<br>",
                                                 "a b",
                                                 "İ",
                                                 "ế",
                                                 "😀",
                                                 "Ġ"};
  std::string text;
  const size_t size = 20 + random() % 700;
  while (text.size() < size) {
    const size_t kinds = 1 + random() % 3, run = 1 + random() % (random() % 4 == 0 ? 400 : 12);
    std::vector<const std::string*> chosen;
    for (size_t i = 0; i < kinds; ++i) chosen.push_back(&kBits[random() % kBits.size()]);
    for (size_t i = 0; i < run; ++i) text += *chosen[random() % kinds];
  }
  return text;
}

size_t first_difference(const std::vector<int64_t>& a, const std::vector<int64_t>& b) {
  return static_cast<size_t>(
      std::mismatch(a.begin(),
                    a.begin() + static_cast<std::ptrdiff_t>(std::min(a.size(), b.size())),
                    b.begin())
          .first -
      a.begin());
}

void expect_equal(const Encoding& a, const Encoding& b) {
  EXPECT_EQ(a.ids, b.ids);
  EXPECT_EQ(a.type_ids, b.type_ids);
  EXPECT_TRUE(a.begins == b.begins) << "from token " << first_difference(a.begins, b.begins);
  EXPECT_TRUE(a.ends == b.ends) << "from token " << first_difference(a.ends, b.ends);
  EXPECT_EQ(a.full_length, b.full_length);
}

TEST(LongText, PiecesGiveWhatTheWholeGives) {
  std::mt19937_64 random(7);
  for (const Family& family : families()) {
    size_t steps_index = 0;
    for (const auto& steps : normalizers()) {
      SCOPED_TRACE(family.name + ", normaliser " + std::to_string(steps_index++));
      for (const auto& [window, left] : {std::pair(48, false), {160, false}, {48, true}}) {
        const auto whole = family.make(steps, kWhole, left),
                   pieces = family.make(steps, static_cast<size_t>(window), left);
        for (int round = 0; round < 60; ++round) {
          const std::string text = make_text(random), other = make_text(random);
          for (const int64_t max_length : {0, 7, 100}) {
            expect_equal(pieces->encode(text, max_length), whole->encode(text, max_length));
            expect_equal(pieces->encode_pair(text, other, max_length),
                         whole->encode_pair(text, other, max_length));
            TokenBatch a, b;
            pieces->append(text, max_length, a);
            whole->append(text, max_length, b);
            EXPECT_EQ(a.ids, b.ids);
            EXPECT_EQ(a.full_lengths, b.full_lengths);
          }
          if (testing::Test::HasFailure()) {
            std::string hex;
            for (const char c : text)
              hex += "\\x" + std::string(1, "0123456789ABCDEF"[(c >> 4) & 15]) +
                     "0123456789ABCDEF"[c & 15];
            FAIL() << "window " << window << ", text " << hex << ", or " << other;
          }
        }
      }
    }
  }
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
  TokenizerParts bert =
      wordpiece_parts(bert_steps(true, true, true, true), TokenizerParts().window);
  TokenizerParts roberta = bpe_parts({}, TokenizerParts().window, true);
  TokenizerParts decomposed =
      bpe_parts({NormalizerStep::kDecompose}, TokenizerParts().window, true);
  for (TokenizerParts* parts : {&bert, &decomposed})
    parts->added_tokens.erase(parts->added_tokens.begin() + 5);  // <b> makes it hold back white
                                                                 // space
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
      EXPECT_LT(memory_of(*tokenizer, text, full_length), int64_t{12} << 20)
          << kind << ", " << name;
      EXPECT_GE(full_length, 2);
    }
  }
  // An added token includes the white space before it, so white space is held back until its end is
  // known.
  const TokenizerParts strips =
      wordpiece_parts(bert_steps(true, true, true, true), TokenizerParts().window);
  int32_t full_length = 0;
  EXPECT_LT(memory_of(WordPieceTokenizer(strips, WordPieceOptions{}), std::string(kSize, ' '),
                      full_length),
            static_cast<int64_t>(6 * kSize));
}

// Texts of a few letters, which merge in many ways, in much smaller windows.
TEST(LongPiece, WindowsGiveTheTokensOfTheWhole) {
  TokenList tokens;
  for (const std::string& character : byte_characters())
    tokens.emplace_back(character, static_cast<int32_t>(tokens.size()));
  for (const auto& [left, right] : kMerges)
    tokens.emplace_back(left + right, static_cast<int32_t>(tokens.size()));
  const Vocabulary vocabulary(tokens, "test");
  const ByteBpe model(vocabulary, kMerges, {}, "test");
  std::mt19937_64 random(3);
  size_t joined = 0;
  for (int round = 0; round < 2000; ++round) {
    std::string text;
    const size_t size = 1 + random() % 300, letters = 1 + random() % 3;
    while (text.size() < size) text += "ab "[random() % letters];
    std::vector<ByteBpe::Part> whole, done, all;
    model.compute(text, whole);
    LongPiece piece(model, 32);
    size_t at = 0, known = 0;
    while (at < text.size()) {
      known = std::min(text.size(), known + 1 + random() % 40);
      const size_t used =
          piece.advance(std::string_view(text).substr(at, known - at), known == text.size(), done);
      at += used;
      joined += used > 0 && at < text.size();
      all.insert(all.end(), done.begin(), done.end());
    }
    ASSERT_EQ(all.size(), whole.size()) << text;
    for (size_t i = 0; i < all.size(); ++i)
      ASSERT_TRUE(all[i].id == whole[i].id && all[i].length == whole[i].length)
          << text << " at " << i;
  }
  EXPECT_GT(joined, 1000u);
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
      for (const size_t window : {size_t{16}, kWhole}) {
        const auto tokenizer = family.make(steps, window, false);
        for (int i = 0; i < 100; ++i) {
          TokenBatch batch;
          tokenizer->append({pages + page - kSize, kSize}, 0, batch);
          tokens +=
              batch.tokens() + tokenizer->encode({pages + page - kSize, kSize}, 0).full_length;
        }
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
