// What long texts need of memory, and what they may not touch.
#include <gtest/gtest.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <atomic>
#include <cstdint>
#include <memory>
#include <random>
#include <string>
#include <string_view>
#include <thread>
#include <utility>
#include <vector>

#include "tests/core/text/long_texts.h"

namespace contrastive::text {
namespace {

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
    // What the parts of any text need is kept for the next text, so allocate it before the count.
    TokenBatch first, batch;
    tokenizer.append(std::string_view(text).substr(0, 2 * kLongestPart), 128, first);
    rusage before{}, after{};
    getrusage(RUSAGE_SELF, &before);
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
