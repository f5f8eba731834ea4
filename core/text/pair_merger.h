// The main loop of learning byte-pair encoding: words are sequences of symbol ids with their
// counts, and the most frequent pair of neighbours is merged repeatedly. Knows only ids;
// vocabulary_learner knows their strings.
#pragma once

#include <cstdint>
#include <queue>
#include <unordered_map>
#include <vector>

#include "core/base/cancel.h"

namespace contrastive::text {

struct CountedWord {
  std::vector<int32_t> symbols;
  int64_t count = 0;
};

class PairMerger {
 public:
  struct Pair {
    int32_t left, right;
    int64_t count;
  };

  // `cancel` must outlive this object.
  explicit PairMerger(std::vector<CountedWord> words, const Cancel* cancel = nullptr);

  // Removes and returns the most frequent pair; among equally frequent ones, the one with the
  // smaller ids. Its count is 0 if no word has two symbols left.
  Pair next();
  // Replaces the pair by `merged` in every word. After kCancelled nothing more can be merged.
  void merge(const Pair& pair, int32_t merged);

 private:
  struct Entry {
    uint64_t key;
    int64_t count;
    bool operator<(const Entry& other) const {
      return count != other.count ? count < other.count : key > other.key;
    }
  };
  struct Known {
    int64_t count = 0;
    std::vector<uint32_t> words;  // words that have contained it; one may be listed several times
    void add_word(uint32_t word) {
      if (words.empty() || words.back() != word) words.push_back(word);
    }
  };

  void change(int32_t left, int32_t right, int64_t by, uint32_t word, std::vector<uint64_t>& grown);
  void merge_in(uint32_t word, const Pair& pair, int32_t merged, std::vector<uint64_t>& grown);

  const Cancel* cancel_;
  std::vector<CountedWord> words_;
  std::unordered_map<uint64_t, Known> pairs_;
  std::priority_queue<Entry>
      queue_;  // counts at the time of pushing; an outdated entry is pushed again
};

}  // namespace contrastive::text
