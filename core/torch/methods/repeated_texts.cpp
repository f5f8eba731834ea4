#include "core/torch/methods/repeated_texts.h"

#include <ATen/ops/empty.h>

#include <unordered_map>

#include "core/base/log.h"
#include "core/data/content_hash.h"

namespace contrastive::methods {

namespace {

// `bytes_of(i)`: what text i is known by.
template <class BytesOf>
at::Tensor hashes(int64_t count, const BytesOf& bytes_of) {
  const at::Tensor ids = at::empty({count}, at::kLong);
  for (int64_t i = 0; i < count; ++i) {
    data::ContentHash hash;
    hash.update(bytes_of(i));
    ids.mutable_data_ptr<int64_t>()[i] = static_cast<int64_t>(hash.value());
  }
  return ids;
}

}  // namespace

at::Tensor text_identities(const text::TokenBatch& batch) {
  return hashes(batch.texts(), [&](int64_t i) {
    const int32_t* const begin = batch.ids.data() + batch.offsets[static_cast<size_t>(i)];
    return std::string_view(reinterpret_cast<const char*>(begin),
                            static_cast<size_t>(batch.length(i)) * sizeof(int32_t));
  });
}

at::Tensor text_identities(const std::vector<std::string_view>& texts) {
  return hashes(static_cast<int64_t>(texts.size()),
                [&](int64_t i) { return texts[static_cast<size_t>(i)]; });
}

at::Tensor RepeatedTexts::masked(const at::Tensor& ids, int64_t examples,
                                 objectives::FalseNegatives policy) {
  const bool mask = policy == objectives::FalseNegatives::kMask;
  if (!warned_) {
    const int64_t* values = ids.const_data_ptr<int64_t>();
    std::unordered_map<int64_t, int64_t> owners;  // the first example that has the text
    int64_t repeated = 0;
    for (int64_t i = 0; i < ids.numel(); ++i)
      repeated += owners.emplace(values[i], i % examples).first->second != i % examples ? 1 : 0;
    if (repeated > 0) {
      warned_ = true;
      log_warning(repeated, " of the ", ids.numel(),
                  " texts of a batch are those of another example too",
                  mask ? "; they are not negatives of each other"
                       : cat("; ", key_, " = mask keeps them from being negatives of each other"));
    }
  }
  return mask ? ids : at::Tensor();
}

}  // namespace contrastive::methods
