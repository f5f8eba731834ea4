// Queries arranged for the tile kernel: panels of lanes, [d, lanes] each, so that one load gives
// one dimension of many queries.
#pragma once

#include <cstdint>
#include <cstdlib>
#include <memory>
#include <vector>

#include "core/retrieval/similarity.h"

namespace contrastive::retrieval {

// Floats that begin at a cache line, uninitialised.
class AlignedFloats {
 public:
  explicit AlignedFloats(int64_t count);
  float* data() { return data_.get(); }
  const float* data() const { return data_.get(); }

 private:
  struct Free {
    void operator()(float* p) const { ::operator delete(p, std::align_val_t{64}); }
  };
  std::unique_ptr<float, Free> data_;
};

struct Panel {
  int64_t first;    // query of lane 0
  int64_t queries;  // lanes in use; the others are zero vectors
  int64_t lanes;
  bool wide;
  int64_t offset;  // into the data of QueryPanels
};

class QueryPanels {
 public:
  // queries: [n, d]. For the cosine they are divided by their norms (a zero vector stays).
  QueryPanels(const float* queries, int64_t n, int64_t d, Metric metric);

  int64_t count() const { return (n_ + wide_ - 1) / wide_; }
  Panel panel(int64_t index) const;
  const float* data(const Panel& panel) const { return values_.data() + panel.offset; }
  int64_t queries() const { return n_; }
  // [n, d] with the same values, query by query; only if n is at most cpu::kMaxStripQueries.
  const float* plain() const { return plain_.data(); }
  // The number of queries including unused lanes of the last panel: the length of an array with one
  // entry for each lane.
  int64_t padded() const { return padded_; }

 private:
  int64_t n_, d_, wide_, padded_;
  AlignedFloats values_;
  std::vector<float> plain_;
};

}  // namespace contrastive::retrieval
