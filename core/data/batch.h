// The examples of one update, or of one part of it, with what counter-based randomness needs to
// know about them.
#pragma once

#include <cstdint>
#include <vector>

#include "core/data/example.h"
#include "core/text/token_batch.h"

namespace contrastive::data {

struct Batch {
  std::vector<Example> examples;
  // [examples] place of each example in the run's dataset: the counter of every random draw about
  // it. -1 throughout in a batch that the caller made.
  std::vector<int64_t> indices;
  int64_t epoch = 0;      // from 0
  int64_t step = 0;       // the update about to be made, from 0
  int64_t first_row = 0;  // of a part: the place of its first example among those of the update
  int64_t task = 0;  // of a run on several datasets: which of them all its examples are of, from 0
  // What the method's tokenize() made of the texts, ahead of time and on another thread: one packed
  // batch a text column. Empty before.
  std::vector<text::TokenBatch> tokens;

  int64_t size() const { return static_cast<int64_t>(examples.size()); }
};

}  // namespace contrastive::data
