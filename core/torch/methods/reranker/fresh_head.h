// A reranker out of a sentence encoder: its encoder, and a head that knows nothing yet.
#pragma once

#include <cstdint>

#include "core/torch/methods/method.h"

namespace contrastive::methods {

// `context` with a head: as it is where it has one. Else the family's head with `labels` labels:
// matrices from N(0, initializer_range), biases 0, a function of the seed. A pooler that the head
// reads and the checkpoint lacks is made in the same manner. The encoder's prompts were for single
// texts: they go. kUnsupported for a family without such a head.
MethodContext with_head(const MethodContext& context, int64_t labels);

}  // namespace contrastive::methods
