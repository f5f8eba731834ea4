#include "core/methods/method.h"

#include <ATen/TensorOperators.h>
#include <ATen/ops/cat.h>

namespace contrastive::methods {

Views join(const std::vector<Views>& parts) {
  TORCH_CHECK(!parts.empty(), "nothing to join");
  if (parts.size() == 1) return parts.front();
  Views whole;
  for (size_t i = 0; i < parts.front().vectors.size(); ++i) {
    std::vector<at::Tensor> rows;
    for (const Views& part : parts) rows.push_back(part.vectors.at(i));
    whole.vectors.push_back(at::cat(rows));
  }
  whole.means = parts.front().means;
  whole.tokens = parts.front().tokens;
  for (size_t p = 1; p < parts.size(); ++p) {
    for (size_t i = 0; i < whole.means.size(); ++i) {
      whole.means[i].sum = whole.means[i].sum + parts[p].means.at(i).sum;
      whole.means[i].count += parts[p].means[i].count;
    }
    whole.tokens += parts[p].tokens;
  }
  return whole;
}

LossTerms Method::loss(const data::Batch& batch) {
  const Views seen = views(batch);
  LossTerms terms = compare(seen, batch);
  terms.tokens = seen.tokens;
  return terms;
}

}  // namespace contrastive::methods
