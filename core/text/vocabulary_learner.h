// Learns a vocabulary from texts: byte-level BPE (GPT-2, RoBERTa) or WordPiece (BERT), both by
// byte-pair encoding as Sennrich et al. (2016) describe it and Hugging Face's `tokenizers` learns
// it: the most frequent pair of neighbours becomes a token, until the vocabulary is full. Among
// equally frequent pairs the one with the smaller ids goes first, so that the result depends on the
// texts and the options alone. Or Unigram (XLM-R, T5), by unigram_learner.h.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

#include "core/base/cancel.h"
#include "core/text/normalizer_chain.h"

namespace contrastive::text {

enum class VocabularyKind { kWordPiece, kByteBpe, kUnigram };

struct VocabularyLearnerOptions {
  VocabularyKind kind = VocabularyKind::kWordPiece;
  int64_t size = 30000;       // tokens wanted, special ones included
  int64_t min_frequency = 2;  // of a pair that is merged, or of a piece that Unigram begins with
  int64_t alphabet_limit = 1000;  // characters kept, the most frequent ones; a byte-level alphabet
                                  // is always all 256 bytes
  bool lowercase = true;          // not of a byte-level vocabulary
  bool strip_accents = true;      // the same
};

struct LearntVocabulary {
  std::vector<std::string> tokens;  // by id
  std::vector<std::pair<std::string, std::string>>
      merges;  // in the order they were learnt; what merges.txt holds
  std::vector<double>
      scores;  // [tokens] of Unigram: logarithms of probabilities, 0 for special tokens
};

// One thread at a time.
class VocabularyLearner {
 public:
  explicit VocabularyLearner(const VocabularyLearnerOptions& options);

  // Counts the words of one text; malformed UTF-8 reads as U+FFFD.
  void add(std::string_view text);
  int64_t words() const { return words_; }
  // kArgument when there was no text, or when `size` has no room for the special tokens and the
  // alphabet.
  LearntVocabulary learn(const Cancel* cancel = nullptr) const;

  // The special tokens that come first, in the order of their ids.
  static const std::vector<std::string>& special_tokens(VocabularyKind kind);

 private:
  void count(std::string_view word);
  LearntVocabulary learn_unigram(std::vector<std::pair<std::string, int64_t>> words,
                                 const Cancel* cancel) const;

  VocabularyLearnerOptions options_;
  NormalizerChain normalizer_;
  std::unordered_map<std::string, int64_t> counts_;
  int64_t words_ = 0;
  std::string repaired_;
  NormalizedText normalized_;
};

}  // namespace contrastive::text
