// Checks the rows of one shard one by one: the rules for every shard and, if they are given, the
// corpus and the model.
#pragma once

#include <string>

#include "capi/program/embed.h"
#include "capi/program/rows.h"
#include "capi/program/shards/receipt.h"

namespace contrastive::cli {

struct ContentsCheck {
  std::string input;                   // the corpus; "" = do not compare with it
  RowOptions rows;                     // how to read the corpus
  const Embedder* embedder = nullptr;  // nullptr = do not encode anything again
  int64_t sample = 0;  // how many rows to encode again, spread over the whole corpus
  int64_t total = 0;   // rows of the corpus
};

struct ContentsFound {
  int64_t sampled = 0;
  double largest_difference = 0;  // of a component, scaled to vectors of length 1
};

// Describes the first problem and its row, or returns "". Adds to `found`.
std::string check_contents(const std::string& folder, const Shard& shard, const Receipt& receipt,
                           const ContentsCheck& check, ContentsFound& found);

}  // namespace contrastive::cli
