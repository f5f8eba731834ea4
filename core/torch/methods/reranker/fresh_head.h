// Makes a reranker from a sentence encoder: its encoder, and a new untrained head.
#pragma once

#include <cstdint>

#include "core/torch/methods/method.h"

namespace contrastive::methods {

// Returns `context` with a head. If it has one already, that head is kept. Otherwise the head is
// the family's, with `labels` labels: matrices from N(0, initializer_range), biases 0, a function
// of the seed. If the head reads a pooler and the checkpoint has none, the pooler is made in the
// same way. The encoder's prompts are dropped, because they were for single texts. kUnsupported for
// a family without such a head.
MethodContext with_head(const MethodContext& context, int64_t labels);

}  // namespace contrastive::methods
