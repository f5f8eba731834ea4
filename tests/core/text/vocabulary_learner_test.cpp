#include "core/text/vocabulary_learner.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <chrono>
#include <string>
#include <thread>

#include "core/base/error.h"
#include "core/text/byte_bpe.h"
#include "tests/expect_error.h"

namespace contrastive::text {
namespace {

using ::testing::ElementsAre;
using ::testing::Pair;

VocabularyLearnerOptions wordpiece(int64_t size, int64_t min_frequency = 1) {
  VocabularyLearnerOptions options;
  options.size = size;
  options.min_frequency = min_frequency;
  return options;
}

TEST(VocabularyLearner, TheMostFrequentPairComesFirst) {
  VocabularyLearner learner(wordpiece(100, 2));
  for (int i = 0; i < 3; ++i) learner.add("Low lower");
  learner.add("slow");
  const LearntVocabulary learnt = learner.learn();
  // ##o ##w occurs 3 + 3 + 1 times; l ##o only 6 times, because the l of "slow" continues a word.
  // Then l ##ow, 6 times, and of the pairs that occur 3 times the one with the smaller ids.
  EXPECT_THAT(learnt.merges, ElementsAre(Pair("##o", "##w"), Pair("l", "##ow"), Pair("##e", "##r"),
                                         Pair("low", "##er")));
  ASSERT_GT(learnt.tokens.size(), 5u);
  EXPECT_EQ(learnt.tokens[0], "[PAD]");
  EXPECT_EQ(learnt.tokens[4], "[MASK]");
  EXPECT_EQ(learnt.tokens[5], "e") << "the alphabet is sorted by code points";
  EXPECT_EQ(learnt.tokens.back(), "lower");
}

TEST(VocabularyLearner, EquallyFrequentPairsGoByTheirIds) {
  VocabularyLearnerOptions options = wordpiece(5 + 4 + 4 + 1);
  VocabularyLearner learner(options);
  learner.add("dc ba");
  // Words are processed in sorted order: ba gives ##a the first id after the alphabet, dc gives ##c
  // the second; (b, ##a) has the smaller ids.
  EXPECT_THAT(learner.learn().merges, ElementsAre(Pair("b", "##a"), Pair("d", "##c")));
}

TEST(VocabularyLearner, OverlapsAreMergedFromTheLeft) {
  VocabularyLearnerOptions options;
  options.kind = VocabularyKind::kByteBpe;
  options.size = 5 + 256 + 2;
  options.min_frequency = 1;
  VocabularyLearner learner(options);
  learner.add("aaaaa");  // aa aa a: then (aa, a) and (aa, aa) occur once each
  EXPECT_THAT(learner.learn().merges, ElementsAre(Pair("a", "a"), Pair("aa", "a")));
}

TEST(VocabularyLearner, ByteLevelAlphabetIsAllBytesAndSpacesBelongToWords) {
  VocabularyLearnerOptions options;
  options.kind = VocabularyKind::kByteBpe;
  options.size = 400;
  options.min_frequency = 2;
  VocabularyLearner learner(options);
  learner.add("the cat the hat the");
  const LearntVocabulary learnt = learner.learn();
  EXPECT_EQ(learnt.tokens.size(), 5 + 256 + learnt.merges.size());
  for (const std::string& byte : byte_characters())
    EXPECT_THAT(learnt.tokens, ::testing::Contains(byte));
  EXPECT_THAT(learnt.tokens, ::testing::Contains("\xc4\xa0the"));  // "Ġthe"
}

VocabularyLearnerOptions unigram(int64_t size) {
  VocabularyLearnerOptions options;
  options.kind = VocabularyKind::kUnigram;
  options.size = size;
  return options;
}

TEST(VocabularyLearner, UnigramLearnsWordsAndScores) {
  VocabularyLearner learner(unigram(40));
  for (int i = 0; i < 20; ++i) learner.add("The cat sat; the CATS sit <s> Ünder");
  const LearntVocabulary learnt = learner.learn();
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

TEST(VocabularyLearner, UnigramKeepsWhatItsOptionsSay) {
  VocabularyLearnerOptions options = unigram(60);
  options.lowercase = options.strip_accents = false;
  options.alphabet_limit = 5;
  VocabularyLearner learner(options);
  learner.add("Éa Éa Éa Ba Ba \uFB01 z");
  const auto tokens = learner.learn().tokens;
  EXPECT_THAT(tokens, ::testing::Contains("É"));
  EXPECT_THAT(tokens, ::testing::Not(::testing::Contains("z")));
  VocabularyLearner small(unigram(6));
  small.add("abcdef");
  expect_error(Status::kArgument, "a vocabulary of 6 tokens has no room for the special",
               [&] { small.learn(); });
}

TEST(VocabularyLearner, DoesNotDependOnTheOrderOfTheTexts) {
  const std::vector<std::string> texts = {"one two three", "two three four", "three four five",
                                          "Ünï cödé"};
  VocabularyLearner forward(wordpiece(60)), backward(wordpiece(60));
  for (size_t i = 0; i < texts.size(); ++i) {
    forward.add(texts[i]);
    backward.add(texts[texts.size() - 1 - i]);
  }
  EXPECT_EQ(forward.learn().tokens, backward.learn().tokens);
  VocabularyLearner pieces(unigram(80)), pieces_backward(unigram(80));
  for (size_t i = 0; i < texts.size(); ++i) {
    pieces.add(texts[i]);
    pieces_backward.add(texts[texts.size() - 1 - i]);
  }
  EXPECT_EQ(pieces.learn().tokens, pieces_backward.learn().tokens);
}

TEST(VocabularyLearner, RareCharactersAreLeftOut) {
  VocabularyLearnerOptions options = wordpiece(100);
  options.alphabet_limit = 2;
  VocabularyLearner learner(options);
  learner.add("aa aa bb z");
  EXPECT_THAT(learner.learn().tokens, ::testing::Not(::testing::Contains("z")));
}

TEST(VocabularyLearner, MalformedTextIsRead) {
  VocabularyLearner learner(wordpiece(50));
  learner.add("caf\xc3 ok \xff\xfe");
  EXPECT_NO_THROW(learner.learn());
}

TEST(VocabularyLearner, SaysWhatIsWrong) {
  VocabularyLearner none(wordpiece(100));
  none.add("  \t ");
  expect_error(Status::kArgument, "there is no word to learn a vocabulary from",
               [&] { none.learn(); });
  VocabularyLearner small(wordpiece(6));
  small.add("abcdef");
  expect_error(Status::kArgument, "a vocabulary of 6 tokens has no room for the special",
               [&] { small.learn(); });
  VocabularyLearner cancelled(wordpiece(100));
  cancelled.add("abc abc");
  Cancel cancel;
  cancel.trigger();
  expect_error(Status::kCancelled, "cancelled", [&] { cancelled.learn(&cancel); });
}

// Cancels in several phases. The bound allows for a slow machine.
TEST(VocabularyLearner, EndsSoonAfterACancel) {
  for (const VocabularyKind kind :
       {VocabularyKind::kWordPiece, VocabularyKind::kByteBpe, VocabularyKind::kUnigram}) {
    VocabularyLearnerOptions options;
    options.kind = kind;
    VocabularyLearner learner(options);
    for (uint64_t i = 0; i < 100'000; ++i) learner.add(std::to_string(i * 0x9e3779b97f4a7c15u));
    for (int64_t wait : {50, 500, 1500}) {
      Cancel cancel;
      std::chrono::steady_clock::time_point triggered;
      std::thread caller([&] {
        std::this_thread::sleep_for(std::chrono::milliseconds(wait));
        triggered = std::chrono::steady_clock::now();
        cancel.trigger();
      });
      try {
        learner.learn(&cancel);
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
