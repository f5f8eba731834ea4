// One augmented view of one column of a batch's texts. All its random choices are drawn before the
// encoder runs.
#pragma once

#include <ATen/core/Tensor.h>

#include <cstdint>
#include <vector>

#include "core/torch/augment/embeddings/strategy.h"
#include "core/base/rng.h"
#include "core/data/batch.h"
#include "core/text/token_batch.h"

namespace contrastive::methods {

struct DrawnView {
  // [tokens] permuted positions within each text; empty for the usual order.
  std::vector<int32_t> positions;
  // [tokens, width] bool on the CPU, true = set to zero; undefined if nothing is cut.
  at::Tensor cut;
};

struct ViewStream {
  uint64_t seed = 1;
  Purpose purpose = Purpose::kViewOne;
  int64_t column = 0;       // 0: texts a, 1: texts b
  int64_t first_place = 0;  // added to every shuffled position
};

// The draws of a text depend on the stream, the example and the epoch, never on the rest of the
// batch. `tokens` has one text for each example.
DrawnView draw_view(const augment::Strategy& strategy, const text::TokenBatch& tokens,
                    const data::Batch& batch, int64_t width, const ViewStream& stream);

}  // namespace contrastive::methods
