#include "core/torch/augment/tokens/delete_span.h"

namespace contrastive::augment {

Ids delete_spans(const Ids& ids, const SpanOptions& spans, const DelToken& del, Rng& rng) {
  std::vector<int64_t> positions;
  for (const TokenSpan& span : sample_spans(static_cast<int64_t>(ids.size()), spans, rng)) {
    for (int64_t i = span.begin; i < span.end; ++i) positions.push_back(i);
  }
  return delete_at(ids, positions, del, rng);
}

}  // namespace contrastive::augment
