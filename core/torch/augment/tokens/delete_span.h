// del-span: deletes some spans of consecutive tokens (CLEAR 3.3, figure 2b).
#pragma once

#include "core/torch/augment/tokens/del_token.h"
#include "core/torch/augment/tokens/spans.h"

namespace contrastive::augment {

// Never deletes the first or the last id. If there is no room for a span, the text is not changed.
Ids delete_spans(const Ids& ids, const SpanOptions& spans, const DelToken& del, Rng& rng);

}  // namespace contrastive::augment
