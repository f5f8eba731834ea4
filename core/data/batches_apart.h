// An order of examples cut into batches no two of whose examples have a text in common.
#pragma once

#include <cstdint>
#include <vector>

#include "core/data/shared_texts.h"

namespace contrastive::data {

struct BatchesApart {
  std::vector<std::vector<int64_t>> batches;
  int64_t left_out = 0;  // examples that no batch could take: one of their texts is in more
                         // examples than there are batches, or nearly so
};

// `batches` batches of at most `batch_size`: each example goes to the first batch that has room and
// none of its texts. One that finds none takes the place of another that can move. What comes out
// depends on the arguments alone. Examples beyond the batches' room are left out and not counted.
BatchesApart cut_apart(const std::vector<int64_t>& order, int64_t batches, int64_t batch_size,
                       const SharedTexts& texts);

}  // namespace contrastive::data
