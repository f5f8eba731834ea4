#include "core/torch/augment/tokens/delete_word.h"

#include "core/base/sample.h"

namespace contrastive::augment {

Ids delete_words(const Ids& ids, double share, const DelToken& del, Rng& rng) {
  const auto n = static_cast<int64_t>(ids.size());
  std::vector<int64_t> positions = choose(n - 2, rounded_count(share, n, rng.uniform()), rng);
  for (int64_t& position : positions) ++position;
  return delete_at(ids, positions, del, rng);
}

}  // namespace contrastive::augment
