// Sentence vectors of a frozen encoder, each distinct text encoded once: within a run, and across
// runs where a cache folder is given.
//
// A row is found by the SHA-256 of everything that decides it: the encoder's fingerprint, pooling,
// maximum length and the text.
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
  bool half = false;  // rows are kept as float16; what is read back is the rounded vector, from the
                      // first time on
};

// One thread at a time.
class EmbeddingCache {
 public:
  EmbeddingCache(std::shared_ptr<const model::SentenceEncoder> encoder,
                 const EmbeddingCacheOptions& options);

  // The row number of each text, in their order. Those without one are encoded first, all together.
  std::vector<int64_t> rows(const std::vector<std::string_view>& texts,
                            const Cancel* cancel = nullptr);
  at::Tensor gather(const std::vector<int64_t>& rows)
      const;  // [rows, dimension] float32; the errors of RowStore::read
  // Equal for texts that have the same token ids after truncation.
  int64_t identity(int64_t row) const { return static_cast<int64_t>(store_->note(row)); }

  // The rows that no folder keeps, as tensors, and back. A vector's last bits may depend on the
  // texts that were encoded with it, so a run that goes on bit for bit needs the very rows it had.
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
