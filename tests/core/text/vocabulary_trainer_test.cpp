#include "core/text/vocabulary_trainer.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <chrono>
#include <string>
#include <thread>

#include "core/base/error.h"
#include "core/text/byte_bpe.h"

namespace contrastive::text {
namespace {

using ::testing::ElementsAre;
using ::testing::Pair;

VocabularyTrainerOptions wordpiece(int64_t size, int64_t min_frequency = 1) {
  VocabularyTrainerOptions options;
  options.size = size;
  options.min_frequency = min_frequency;
  return options;
}

TEST(VocabularyTrainer, TheMostFrequentPairComesFirst) {
  VocabularyTrainer trainer(wordpiece(100, 2));
  for (int i = 0; i < 3; ++i) trainer.add("Low lower");
  trainer.add("slow");
  const LearntVocabulary learnt = trainer.train();
  // ##o ##w stands 3 + 3 + 1 times; l ##o only 6 times, for the l of "slow" continues a word. Then
  // l ##ow, 6 times, and of the pairs that stand 3 times the one with the smaller ids.
  EXPECT_THAT(learnt.merges, ElementsAre(Pair("##o", "##w"), Pair("l", "##ow"), Pair("##e", "##r"),
                                         Pair("low", "##er")));
  ASSERT_GT(learnt.tokens.size(), 5u);
  EXPECT_EQ(learnt.tokens[0], "[PAD]");
  EXPECT_EQ(learnt.tokens[4], "[MASK]");
  EXPECT_EQ(learnt.tokens[5], "e") << "the alphabet stands in the order of its code points";
  EXPECT_EQ(learnt.tokens.back(), "lower");
}

TEST(VocabularyTrainer, EquallyFrequentPairsGoByTheirIds) {
  VocabularyTrainerOptions options = wordpiece(5 + 4 + 4 + 1);
  VocabularyTrainer trainer(options);
  trainer.add("dc ba");
  // Words are taken in sorted order: ba gives ##a the first id behind the alphabet, dc gives ##c
  // the second; (b, ##a) has the smaller ids.
  EXPECT_THAT(trainer.train().merges, ElementsAre(Pair("b", "##a"), Pair("d", "##c")));
}

TEST(VocabularyTrainer, OverlapsAreMergedFromTheLeft) {
  VocabularyTrainerOptions options;
  options.kind = VocabularyKind::kByteBpe;
  options.size = 5 + 256 + 2;
  options.min_frequency = 1;
  VocabularyTrainer trainer(options);
  trainer.add("aaaaa");  // aa aa a: then (aa, a) and (aa, aa) stand once each
  EXPECT_THAT(trainer.train().merges, ElementsAre(Pair("a", "a"), Pair("aa", "a")));
}

TEST(VocabularyTrainer, ByteLevelAlphabetIsAllBytesAndSpacesBelongToWords) {
  VocabularyTrainerOptions options;
  options.kind = VocabularyKind::kByteBpe;
  options.size = 400;
  options.min_frequency = 2;
  VocabularyTrainer trainer(options);
  trainer.add("the cat the hat the");
  const LearntVocabulary learnt = trainer.train();
  EXPECT_EQ(learnt.tokens.size(), 5 + 256 + learnt.merges.size());
  for (const std::string& byte : byte_characters())
    EXPECT_THAT(learnt.tokens, ::testing::Contains(byte));
  EXPECT_THAT(learnt.tokens, ::testing::Contains("\xc4\xa0the"));  // "Ġthe"
}

VocabularyTrainerOptions unigram(int64_t size) {
  VocabularyTrainerOptions options;
  options.kind = VocabularyKind::kUnigram;
  options.size = size;
  return options;
}

TEST(VocabularyTrainer, UnigramLearnsWordsAndScores) {
  VocabularyTrainer trainer(unigram(40));
  for (int i = 0; i < 20; ++i) trainer.add("The cat sat; the CATS sit <s> Ünder");
  const LearntVocabulary learnt = trainer.train();
  ASSERT_EQ(learnt.tokens.size(), learnt.scores.size());
  EXPECT_LE(learnt.tokens.size(), 40u);
  EXPECT_EQ(learnt.tokens[3], "<unk>");
  EXPECT_THAT(learnt.tokens, ::testing::Contains("\u2581the"));
  EXPECT_THAT(learnt.tokens, ::testing::Contains("u"));  // without its accent
  EXPECT_EQ(std::count(learnt.tokens.begin(), learnt.tokens.end(), "<s>"), 1);
  for (size_t i = 5; i < learnt.scores.size(); ++i)
    EXPECT_LT(learnt.scores[i], 0) << learnt.tokens[i];
  EXPECT_TRUE(std::is_sorted(learnt.scores.rbegin(), learnt.scores.rend() - 5));
}

TEST(VocabularyTrainer, UnigramKeepsWhatItsOptionsSay) {
  VocabularyTrainerOptions options = unigram(60);
  options.lowercase = options.strip_accents = false;
  options.alphabet_limit = 5;
  VocabularyTrainer trainer(options);
  trainer.add("Éa Éa Éa Ba Ba \uFB01 z");
  const auto tokens = trainer.train().tokens;
  EXPECT_THAT(tokens, ::testing::Contains("É"));
  EXPECT_THAT(tokens, ::testing::Not(::testing::Contains("z")));
  VocabularyTrainer small(unigram(6));
  small.add("abcdef");
  EXPECT_THROW(small.train(), Error);
}

TEST(VocabularyTrainer, DoesNotDependOnTheOrderOfTheTexts) {
  const std::vector<std::string> texts = {"one two three", "two three four", "three four five",
                                          "Ünï cödé"};
  VocabularyTrainer forward(wordpiece(60)), backward(wordpiece(60));
  for (size_t i = 0; i < texts.size(); ++i) {
    forward.add(texts[i]);
    backward.add(texts[texts.size() - 1 - i]);
  }
  EXPECT_EQ(forward.train().tokens, backward.train().tokens);
  VocabularyTrainer pieces(unigram(80)), pieces_backward(unigram(80));
  for (size_t i = 0; i < texts.size(); ++i) {
    pieces.add(texts[i]);
    pieces_backward.add(texts[texts.size() - 1 - i]);
  }
  EXPECT_EQ(pieces.train().tokens, pieces_backward.train().tokens);
}

TEST(VocabularyTrainer, RareCharactersAreLeftOut) {
  VocabularyTrainerOptions options = wordpiece(100);
  options.alphabet_limit = 2;
  VocabularyTrainer trainer(options);
  trainer.add("aa aa bb z");
  EXPECT_THAT(trainer.train().tokens, ::testing::Not(::testing::Contains("z")));
}

TEST(VocabularyTrainer, MalformedTextIsRead) {
  VocabularyTrainer trainer(wordpiece(50));
  trainer.add("caf\xc3 ok \xff\xfe");
  EXPECT_NO_THROW(trainer.train());
}

TEST(VocabularyTrainer, SaysWhatIsWrong) {
  VocabularyTrainer none(wordpiece(100));
  none.add("  \t ");
  EXPECT_THROW(none.train(), Error);
  VocabularyTrainer small(wordpiece(6));
  small.add("abcdef");
  EXPECT_THROW(small.train(), Error);
  VocabularyTrainer cancelled(wordpiece(100));
  cancelled.add("abc abc");
  Cancel cancel;
  cancel.trigger();
  EXPECT_THROW(cancelled.train(&cancel), Error);
}

// At moments in several phases. The bound leaves room for a slow machine.
TEST(VocabularyTrainer, EndsSoonAfterACancel) {
  for (const VocabularyKind kind :
       {VocabularyKind::kWordPiece, VocabularyKind::kByteBpe, VocabularyKind::kUnigram}) {
    VocabularyTrainerOptions options;
    options.kind = kind;
    VocabularyTrainer trainer(options);
    for (uint64_t i = 0; i < 100'000; ++i) trainer.add(std::to_string(i * 0x9e3779b97f4a7c15u));
    for (int64_t wait : {50, 500, 1500}) {
      Cancel cancel;
      std::chrono::steady_clock::time_point triggered;
      std::thread caller([&] {
        std::this_thread::sleep_for(std::chrono::milliseconds(wait));
        triggered = std::chrono::steady_clock::now();
        cancel.trigger();
      });
      try {
        trainer.train(&cancel);
      } catch (const Error& error) {
        EXPECT_EQ(error.status(), Status::kCancelled);
      }
      const auto ended = std::chrono::steady_clock::now();
      caller.join();
      EXPECT_LT(ended - triggered, std::chrono::milliseconds(2000))
          << "cancelled after " << wait << " ms";
    }
  }
}

}  // namespace
}  // namespace contrastive::text
