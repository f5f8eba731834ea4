// The loop of byte-pair encoding: words as sequences of symbol ids with their counts, and the most
// frequent pair of neighbours merged again and again. Knows ids only; which strings they stand for
// is vocabulary_learner's.
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

  // `cancel` lives as long as this.
  explicit PairMerger(std::vector<CountedWord> words, const Cancel* cancel = nullptr);

  // The most frequent pair, the one with the smaller ids among equals; count 0 when no word has two
  // symbols left. It is taken out.
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
    std::vector<uint32_t> words;  // that have held it; one may be there several times
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
      queue_;  // counts as they were when pushed: an outdated one is pushed again
};

}  // namespace contrastive::text
