// Learns the pieces of a unigram language model and their scores (Kudo 2018): from every frequent
// substring, expectation and maximisation in turn with the removal of those pieces whose loss costs
// the texts least, until so many are left as are wanted. Knows words and their counts only; which
// tokens surround the pieces is vocabulary_learner's.
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
  using Words =
      std::vector<std::pair<std::string, int64_t>>;  // valid UTF-8, with how often each was met
  using Pieces = std::vector<std::pair<std::string, double>>;  // with logarithms of probabilities

  // `min_frequency`: of a substring that may become a piece. `words` and `cancel` live as long as
  // this.
  UnigramLearner(const Words& words, int64_t min_frequency, const Cancel* cancel = nullptr);

  // At most `size` pieces, the most probable first; every character of the words is one of them,
  // however many that are.
  Pieces learn(int64_t size);

 private:
  void make_seed(int64_t min_frequency);
  void index();
  // Ways from place to place of a word: way(begin, end, piece) of every piece that fits, by rising
  // begin.
  template <class Way>
  void ways(const std::string& word, const Way& way) const;
  // How often each piece is expected in all words.
  std::vector<double> expect() const;
  void maximise(const std::vector<double>& expected);
  // The pieces of the best way through `word`, without the piece `left_out`.
  std::vector<int32_t> best(const std::string& word, int32_t left_out) const;
  void prune(size_t wanted);

  const Words& words_;
  const Cancel* cancel_;
  Pieces pieces_;
  std::vector<bool> single_;  // [pieces] one character: never removed
  TokenTrie trie_;
};

}  // namespace contrastive::text
