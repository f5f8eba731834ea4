// reorder: pairs of spans change places (CLEAR 3.3, figure 2c).
#pragma once

#include <utility>
#include <vector>

#include "core/torch/augment/tokens/del_token.h"
#include "core/torch/augment/tokens/spans.h"

namespace contrastive::augment {

// The spans of each pair in each other's place; their lengths may differ, and what lies between
// keeps its order. All spans are disjoint.
Ids swap_spans(const Ids& ids, const std::vector<std::pair<TokenSpan, TokenSpan>>& pairs);

// `pairs` pairs of spans drawn as `spans` says (its count aside) and swapped; fewer where the text
// has no room. `may_skip`: with probability 1 / (pairs + 1) nothing is swapped, as in the authors'
// code where reordering is the only augmentation.
Ids reorder(const Ids& ids, int64_t pairs, const SpanOptions& spans, bool may_skip, Rng& rng);

}  // namespace contrastive::augment
