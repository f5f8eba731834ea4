#include "core/torch/augment/tokens/del_token.h"

namespace contrastive::augment {

Ids collapse(const Ids& ids, int32_t id) {
  Ids result;
  result.reserve(ids.size());
  for (const int32_t token : ids) {
    if (token != id || result.empty() || result.back() != id) result.push_back(token);
  }
  return result;
}

Ids delete_at(const Ids& ids, const std::vector<int64_t>& positions, const DelToken& del,
              Rng& rng) {
  Ids result = ids;
  const bool spares = del.keep > 0 || del.random > 0;
  for (const int64_t position : positions) {
    const double u = spares ? rng.uniform() : 1;
    if (u < del.keep) continue;
    const bool random = u < del.keep + del.random;
    result[static_cast<size_t>(position)] =
        random ? (*del.ordinary)[rng.below(del.ordinary->size())] : del.id;
  }
  return del.collapse ? collapse(result, del.id) : result;
}

}  // namespace contrastive::augment
