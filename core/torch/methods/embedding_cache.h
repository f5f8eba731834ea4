// Caches the sentence vectors of a frozen encoder. Each distinct text is encoded once within a run,
// and once across runs if there is a cache folder.
//
// The key of a row is the SHA-256 of everything that decides it: the encoder's fingerprint, the
// pooling, the maximum length and the text.
#pragma once

#include <ATen/core/Tensor.h>

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "core/torch/tensors/tensors.h"
#include "core/data/row_store.h"
#include "core/model/sentence_encoder.h"

namespace contrastive::methods {

struct EmbeddingCacheOptions {
  model::EncodeOptions encode;
  std::string folder;  // "" = in memory
  // Rows are stored as float16; the rounded vector is returned from the first time on.
  bool half = false;
};

// Not thread-safe.
class EmbeddingCache {
 public:
  EmbeddingCache(std::shared_ptr<const model::SentenceEncoder> encoder,
                 const EmbeddingCacheOptions& options);

  // Returns the row number of each text, in order. Texts without a row are encoded first, all
  // together.
  std::vector<int64_t> rows(const std::vector<std::string_view>& texts,
                            const Cancel* cancel = nullptr);
  at::Tensor gather(const std::vector<int64_t>& rows)
      const;  // [rows, dimension] float32; fails as RowStore::read does
  // A number that is equal for texts with the same token ids after truncation.
  int64_t identity(int64_t row) const { return static_cast<int64_t>(store_->note(row)); }

  // The rows that are not in a folder, as tensors; restoring them. The last bits of a vector may
  // depend on the texts that were encoded with it, so a bit-for-bit resume needs the very same
  // rows.
  tensors::TorchTensorMap save() const;
  void load(const tensors::TorchTensorMap& tensors);

  int64_t dimension() const { return dimension_; }
  int64_t size() const { return store_->size(); }
  int64_t tokens_encoded() const { return tokens_encoded_; }  // by this object

 private:
  data::RowKey key(std::string_view text) const;
  void append(const data::RowKey& key, uint64_t identity, const float* vector);
  void encode_missing(const std::vector<std::string_view>& texts,
                      const std::vector<data::RowKey>& keys, const Cancel* cancel);

  std::shared_ptr<const model::SentenceEncoder> encoder_;
  EmbeddingCacheOptions options_;
  int64_t dimension_ = 0;
  std::string key_prefix_;
  std::unique_ptr<data::RowStore> store_;
  int64_t tokens_encoded_ = 0;
};

}  // namespace contrastive::methods
