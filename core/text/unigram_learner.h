// Learns the pieces of a unigram language model and their scores (Kudo 2018). Begins with every
// frequent substring, and alternates expectation-maximisation with the removal of the pieces whose
// loss costs the texts least, until the requested number is left. Knows only words and their
// counts; vocabulary_learner adds the other tokens.
#pragma once

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "core/base/cancel.h"
#include "core/text/token_trie.h"

namespace contrastive::text {

class UnigramLearner {
 public:
  using Words = std::vector<std::pair<std::string, int64_t>>;  // valid UTF-8, with their counts
  using Pieces = std::vector<std::pair<std::string, double>>;  // with logarithms of probabilities

  // `min_frequency`: of a substring that may become a piece. `words` and `cancel` must outlive this
  // object.
  UnigramLearner(const Words& words, int64_t min_frequency, const Cancel* cancel = nullptr);

  // At most `size` pieces, the most probable first, but always every character of the words,
  // however many there are.
  Pieces learn(int64_t size);

 private:
  void make_seed(int64_t min_frequency);
  void index();
  // Calls way(begin, end, piece) for every piece that occurs in the word, in ascending order of
  // `begin`.
  template <class Way>
  void ways(const std::string& word, const Way& way) const;
  // The expected count of each piece in all words.
  std::vector<double> expect() const;
  void maximise(const std::vector<double>& expected);
  // The pieces of the most probable split of `word` without the piece `left_out`.
  std::vector<int32_t> best(const std::string& word, int32_t left_out) const;
  void prune(size_t wanted);

  const Words& words_;
  const Cancel* cancel_;
  Pieces pieces_;
  std::vector<bool> single_;  // [pieces] one character: never removed
  TokenTrie trie_;
};

}  // namespace contrastive::text
