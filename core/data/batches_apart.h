// Cuts an order of examples into batches without duplicates: no two examples of a batch share a
// text.
#pragma once

#include <cstdint>
#include <vector>

#include "core/data/shared_texts.h"

namespace contrastive::data {

struct BatchesApart {
  std::vector<std::vector<int64_t>> batches;
  int64_t left_out = 0;  // examples that fit into no batch: one of their texts is in more examples
                         // than there are batches, or nearly so
};

// Makes `batches` batches of at most `batch_size`. Each example goes to the first batch that has
// room and none of its texts. If no batch has, it takes the place of another example that can
// move. The result depends only on the arguments. Examples beyond the room of all batches are left
// out and not counted.
BatchesApart cut_apart(const std::vector<int64_t>& order, int64_t batches, int64_t batch_size,
                       const SharedTexts& texts);

}  // namespace contrastive::data
