// Learns a vocabulary from texts. Byte-level BPE (GPT-2, RoBERTa) and WordPiece (BERT) are learnt
// by byte-pair encoding, as described by Sennrich et al. (2016) and implemented in Hugging Face's
// `tokenizers`: the most frequent pair of neighbours becomes a token, until the vocabulary is full.
// Among equally frequent pairs, the one with the smaller ids comes first, so the result depends
// only on the texts and the options. Unigram (XLM-R, T5) is learnt by unigram_learner.h.
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
  int64_t size = 30000;           // requested number of tokens, special ones included
  int64_t min_frequency = 2;      // of a pair to merge, or of a substring that Unigram begins with
  int64_t alphabet_limit = 1000;  // the number of characters to keep, the most frequent ones; a
                                  // byte-level alphabet always has all 256 bytes
  bool lowercase = true;          // ignored for a byte-level vocabulary
  bool strip_accents = true;      // likewise
};

struct LearntVocabulary {
  std::vector<std::string> tokens;  // by id
  std::vector<std::pair<std::string, std::string>>
      merges;  // in the order in which they were learnt; the contents of merges.txt
  std::vector<double>
      scores;  // [tokens] for Unigram: logarithms of probabilities, 0 for special tokens
};

// Not thread-safe: use it from one thread at a time.
class VocabularyLearner {
 public:
  explicit VocabularyLearner(const VocabularyLearnerOptions& options);

  // Counts the words of one text. Malformed UTF-8 is read as U+FFFD.
  void add(std::string_view text);
  int64_t words() const { return words_; }
  // Throws kArgument if there was no text, or if `size` has no room for the special tokens and the
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
