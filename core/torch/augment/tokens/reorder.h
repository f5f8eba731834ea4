// reorder: swaps pairs of spans (CLEAR 3.3, figure 2c).
#pragma once

#include <utility>
#include <vector>

#include "core/torch/augment/tokens/del_token.h"
#include "core/torch/augment/tokens/spans.h"

namespace contrastive::augment {

// Swaps the spans of each pair. Their lengths may differ, and the tokens between them keep their
// order. All spans must be disjoint.
Ids swap_spans(const Ids& ids, const std::vector<std::pair<TokenSpan, TokenSpan>>& pairs);

// Draws `pairs` pairs of spans as `spans` says (except for its count) and swaps them; fewer if the
// text has no room. `may_skip`: with probability 1 / (pairs + 1) nothing is swapped, as in the
// authors' code if reordering is the only augmentation.
Ids reorder(const Ids& ids, int64_t pairs, const SpanOptions& spans, bool may_skip, Rng& rng);

}  // namespace contrastive::augment
