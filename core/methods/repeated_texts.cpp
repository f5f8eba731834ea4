#include "core/methods/repeated_texts.h"

#include <ATen/ops/empty.h>

#include <unordered_set>

#include "core/base/log.h"
#include "core/data/content_hash.h"

namespace contrastive::methods {

at::Tensor text_identities(const text::TokenBatch& batch) {
  const at::Tensor ids = at::empty({batch.texts()}, at::kLong);
  for (int64_t i = 0; i < batch.texts(); ++i) {
    const auto begin = batch.offsets[static_cast<size_t>(i)];
    data::ContentHash hash;
    hash.update({reinterpret_cast<const char*>(batch.ids.data() + begin), static_cast<size_t>(batch.length(i)) * sizeof(int32_t)});
    ids.mutable_data_ptr<int64_t>()[i] = static_cast<int64_t>(hash.value());
  }
  return ids;
}

at::Tensor RepeatedTexts::masked(const at::Tensor& ids, objectives::FalseNegatives policy) {
  const bool mask = policy == objectives::FalseNegatives::kMask;
  if (!warned_) {
    const int64_t* values = ids.const_data_ptr<int64_t>();
    const auto count = static_cast<size_t>(ids.numel());
    const size_t distinct = std::unordered_set<int64_t>(values, values + count).size();
    if (distinct < count) {
      warned_ = true;
      log_warning(count - distinct, " of the ", count, " texts of a batch stand in it more than once",
                  mask ? "; they are no negatives of each other" : cat("; ", key_, " = mask keeps them from being negatives of each other"));
    }
  }
  return mask ? ids : at::Tensor();
}

}  // namespace contrastive::methods
