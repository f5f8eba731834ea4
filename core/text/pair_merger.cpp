#include "core/text/pair_merger.h"

#include <algorithm>
#include <utility>

namespace contrastive::text {
namespace {

uint64_t key_of(int32_t left, int32_t right) {
  return (static_cast<uint64_t>(static_cast<uint32_t>(left)) << 32) | static_cast<uint32_t>(right);
}

}  // namespace

PairMerger::PairMerger(std::vector<CountedWord> words, const Cancel* cancel)
    : cancel_(cancel), words_(std::move(words)) {
  for (uint32_t w = 0; w < words_.size(); ++w) {
    throw_if_cancelled(cancel_);
    const std::vector<int32_t>& symbols = words_[w].symbols;
    for (size_t i = 1; i < symbols.size(); ++i) {
      Known& known = pairs_[key_of(symbols[i - 1], symbols[i])];
      known.count += words_[w].count;
      known.add_word(w);
    }
  }
  for (const auto& [key, known] : pairs_) queue_.push({key, known.count});
}

PairMerger::Pair PairMerger::next() {
  while (!queue_.empty()) {
    const Entry top = queue_.top();
    queue_.pop();
    const auto found = pairs_.find(top.key);
    if (found == pairs_.end() || found->second.count <= 0) continue;
    if (found->second.count != top.count) {
      queue_.push({top.key, found->second.count});
      continue;
    }
    return {static_cast<int32_t>(top.key >> 32), static_cast<int32_t>(top.key & 0xffffffffu),
            top.count};
  }
  return {0, 0, 0};
}

void PairMerger::merge(const Pair& pair, int32_t merged) {
  auto node = pairs_.extract(key_of(pair.left, pair.right));
  std::vector<uint32_t>& words = node.mapped().words;
  std::sort(words.begin(), words.end());
  words.erase(std::unique(words.begin(), words.end()), words.end());
  std::vector<uint64_t> grown;
  for (const uint32_t word : words) {
    throw_if_cancelled(cancel_);
    merge_in(word, pair, merged, grown);
  }
  std::sort(grown.begin(), grown.end());
  grown.erase(std::unique(grown.begin(), grown.end()), grown.end());
  for (const uint64_t key : grown) {
    const int64_t count = pairs_.at(key).count;
    if (count > 0) queue_.push({key, count});
  }
}

void PairMerger::change(int32_t left, int32_t right, int64_t by, uint32_t word,
                        std::vector<uint64_t>& grown) {
  const uint64_t key = key_of(left, right);
  Known& known = pairs_[key];
  known.count += by;
  if (by < 0) return;
  known.add_word(word);
  grown.push_back(key);
}

void PairMerger::merge_in(uint32_t word, const Pair& pair, int32_t merged,
                          std::vector<uint64_t>& grown) {
  std::vector<int32_t>& symbols = words_[word].symbols;
  const int64_t count = words_[word].count;
  size_t to = 0;
  for (size_t i = 0; i < symbols.size();) {
    if (i + 1 == symbols.size() || symbols[i] != pair.left || symbols[i + 1] != pair.right) {
      symbols[to++] = symbols[i++];
      continue;
    }
    if (to > 0) {
      change(symbols[to - 1], pair.left, -count, word, grown);
      change(symbols[to - 1], merged, count, word, grown);
    }
    if (i + 2 < symbols.size()) {
      change(pair.right, symbols[i + 2], -count, word, grown);
      change(merged, symbols[i + 2], count, word, grown);
    }
    symbols[to++] = merged;
    i += 2;
  }
  symbols.resize(to);
}

}  // namespace contrastive::text
