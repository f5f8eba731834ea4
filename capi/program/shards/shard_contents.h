// The rows of one shard, looked at one by one: against what every shard must hold, and where they
// are given against the corpus and the model.
#pragma once

#include <string>

#include "capi/program/embed.h"
#include "capi/program/rows.h"
#include "capi/program/shards/receipt.h"

namespace contrastive::cli {

struct ContentsCheck {
  std::string input;                   // "" = not compared with the corpus
  RowOptions rows;                     // how it is read
  const Embedder* embedder = nullptr;  // nullptr = nothing is encoded again
  int64_t sample = 0;  // rows of the whole corpus that are encoded again, spread over it
  int64_t total = 0;   // rows of the corpus
};

struct ContentsFound {
  int64_t sampled = 0;
  double largest_difference = 0;  // of a component, where the vector has length 1
};

// "" where nothing is wrong, else what and in which row. Adds to `found`.
std::string check_contents(const std::string& folder, const Shard& shard, const Receipt& receipt,
                           const ContentsCheck& check, ContentsFound& found);

}  // namespace contrastive::cli
