#include "core/data/batches_apart.h"

#include <algorithm>
#include <unordered_set>

namespace contrastive::data {
namespace {

constexpr int64_t kTries = 4096;  // exchanges tried for one example

class Cutter {
 public:
  Cutter(int64_t batches, int64_t batch_size, const SharedTexts& texts)
      : batch_size_(batch_size), texts_(texts), batches_(static_cast<size_t>(batches)),
        holders_(static_cast<size_t>(texts.count())), next_(static_cast<size_t>(texts.count()), 0) {
  }

  bool place(int64_t example) {
    const std::vector<int64_t> shared = texts_.of(example);
    int64_t batch = open_;
    for (const int64_t text : shared) {
      if (held_everywhere(text)) return false;
      batch = std::max(batch, next_open(text));
    }
    while (batch < size() && (full(batch) || !free_of(shared, batch))) ++batch;
    if (batch == size()) return exchange(example, shared);
    put(example, shared, batch);
    return true;
  }
  bool room() {
    while (open_ < size() && full(open_)) ++open_;
    return open_ < size();
  }
  std::vector<std::vector<int64_t>> take() { return std::move(batches_); }

 private:
  int64_t size() const { return static_cast<int64_t>(batches_.size()); }
  std::vector<int64_t>& at(int64_t batch) { return batches_[static_cast<size_t>(batch)]; }
  bool full(int64_t batch) const {
    return static_cast<int64_t>(batches_[static_cast<size_t>(batch)].size()) >= batch_size_;
  }
  bool held_everywhere(int64_t text) const {
    return static_cast<int64_t>(holders_[static_cast<size_t>(text)].size()) == size();
  }
  bool free_of(const std::vector<int64_t>& shared, int64_t batch) const {
    return std::none_of(shared.begin(), shared.end(), [&](int64_t text) {
      return holders_[static_cast<size_t>(text)].count(batch) > 0;
    });
  }

  // The first batch that has room and does not have this text. The batches before it never will.
  int64_t next_open(int64_t text) {
    int64_t& batch = next_[static_cast<size_t>(text)];
    while (batch < size() && (full(batch) || holders_[static_cast<size_t>(text)].count(batch) > 0))
      ++batch;
    return batch;
  }

  void put(int64_t example, const std::vector<int64_t>& shared, int64_t batch) {
    at(batch).push_back(example);
    for (const int64_t text : shared) holders_[static_cast<size_t>(text)].insert(batch);
    room();
  }

  // Every batch with room has one of its texts: moves another example into such a batch and takes
  // its place.
  bool exchange(int64_t example, const std::vector<int64_t>& shared) {
    int64_t tries = 0;
    for (int64_t from = 0; from < size(); ++from) {
      if (!full(from) || !free_of(shared, from)) {
        if (++tries > kTries) return false;
        continue;
      }
      for (size_t place = 0; place < at(from).size(); ++place) {
        const std::vector<int64_t> moved = texts_.of(at(from)[place]);
        for (int64_t to = open_; to < size(); ++to) {
          if (++tries > kTries) return false;
          if (full(to) || !free_of(moved, to)) continue;
          for (const int64_t text : moved) holders_[static_cast<size_t>(text)].erase(from);
          put(at(from)[place], moved, to);
          at(from)[place] = example;
          for (const int64_t text : shared) holders_[static_cast<size_t>(text)].insert(from);
          return true;
        }
      }
    }
    return false;
  }

  int64_t batch_size_;
  const SharedTexts& texts_;
  std::vector<std::vector<int64_t>> batches_;
  std::vector<std::unordered_set<int64_t>> holders_;  // [texts] the batches that have the text
  std::vector<int64_t> next_;                         // [texts] where to search for room
  int64_t open_ = 0;                                  // the first batch with room
};

}  // namespace

BatchesApart cut_apart(const std::vector<int64_t>& order, int64_t batches, int64_t batch_size,
                       const SharedTexts& texts) {
  Cutter cutter(batches, batch_size, texts);
  BatchesApart result;
  for (const int64_t example : order) {
    if (!cutter.room()) break;
    if (!cutter.place(example)) ++result.left_out;
  }
  result.batches = cutter.take();
  return result;
}

}  // namespace contrastive::data
