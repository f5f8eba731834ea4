// One batch: the examples of one update or of a part of it, with the counters for random draws.
#pragma once

#include <cstdint>
#include <vector>

#include "core/data/example.h"
#include "core/text/token_batch.h"

namespace contrastive::data {

struct Batch {
  std::vector<Example> examples;
  // [examples] the index of each example in the run's dataset: the counter of its random draws. All
  // -1 in a batch that the caller made.
  std::vector<int64_t> indices;
  int64_t epoch = 0;      // counted from 0
  int64_t step = 0;       // the number of the next update, from 0
  int64_t first_row = 0;  // for a part: the index of its first example in the update
  int64_t task = 0;  // for a run on several datasets: which dataset the examples are from, from 0
  // The method's tokenize() fills this in advance, on another thread: one packed batch for each
  // text column. Empty before.
  std::vector<text::TokenBatch> tokens;

  int64_t size() const { return static_cast<int64_t>(examples.size()); }
};

}  // namespace contrastive::data
