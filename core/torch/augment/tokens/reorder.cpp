#include "core/torch/augment/tokens/reorder.h"

#include <algorithm>

namespace contrastive::augment {

Ids swap_spans(const Ids& ids, const std::vector<std::pair<TokenSpan, TokenSpan>>& pairs) {
  struct Move {
    TokenSpan place, content;
  };
  std::vector<Move> moves;
  for (const auto& [a, b] : pairs) moves.insert(moves.end(), {{a, b}, {b, a}});
  std::sort(moves.begin(), moves.end(), [](const Move& x, const Move& y) {
    return x.place.begin != y.place.begin ? x.place.begin < y.place.begin
                                          : x.place.end < y.place.end;
  });
  Ids result;
  result.reserve(ids.size());
  const auto append = [&](int64_t begin, int64_t end) {
    result.insert(result.end(), ids.begin() + begin, ids.begin() + end);
  };
  int64_t at = 0;
  for (const Move& move : moves) {
    append(at, move.place.begin);
    append(move.content.begin, move.content.end);
    at = move.place.end;
  }
  append(at, static_cast<int64_t>(ids.size()));
  return result;
}

Ids reorder(const Ids& ids, int64_t pairs, const SpanOptions& spans, bool may_skip, Rng& rng) {
  if (may_skip && rng.below(static_cast<uint64_t>(pairs + 1)) == 0) return ids;
  SpanOptions both = spans;
  both.count = 2 * pairs;
  std::vector<TokenSpan> places = sample_spans(static_cast<int64_t>(ids.size()), both, rng);
  rng.shuffle(places);
  std::vector<std::pair<TokenSpan, TokenSpan>> partners;
  for (size_t i = 0; i + 1 < places.size(); i += 2) partners.emplace_back(places[i], places[i + 1]);
  return swap_spans(ids, partners);
}

}  // namespace contrastive::augment
