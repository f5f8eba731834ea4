#include "core/methods/repeated_texts.h"

#include <ATen/ops/empty.h>

#include <unordered_map>

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

at::Tensor RepeatedTexts::masked(const at::Tensor& ids, int64_t examples, objectives::FalseNegatives policy) {
  const bool mask = policy == objectives::FalseNegatives::kMask;
  if (!warned_) {
    const int64_t* values = ids.const_data_ptr<int64_t>();
    std::unordered_map<int64_t, int64_t> owners;  // the first example that has the text
    int64_t repeated = 0;
    for (int64_t i = 0; i < ids.numel(); ++i) repeated += owners.emplace(values[i], i % examples).first->second != i % examples ? 1 : 0;
    if (repeated > 0) {
      warned_ = true;
      log_warning(repeated, " of the ", ids.numel(), " texts of a batch are those of another example too",
                  mask ? "; they are no negatives of each other" : cat("; ", key_, " = mask keeps them from being negatives of each other"));
    }
  }
  return mask ? ids : at::Tensor();
}

}  // namespace contrastive::methods
