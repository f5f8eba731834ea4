// del-span: some spans of consecutive tokens are deleted (CLEAR 3.3, figure 2b).
#pragma once

#include "core/torch/augment/tokens/del_token.h"
#include "core/torch/augment/tokens/spans.h"

namespace contrastive::augment {

// Never the first or the last id. Without room for a span the text stays as it is.
Ids delete_spans(const Ids& ids, const SpanOptions& spans, const DelToken& del, Rng& rng);

}  // namespace contrastive::augment
