#include "core/torch/methods/embedding_cache.h"

#include <ATen/ops/empty.h>
#include <c10/util/Half.h>

#include <algorithm>
#include <numeric>
#include <unordered_set>

#include "core/base/error.h"
#include "core/base/sha256.h"
#include "core/data/content_hash.h"
#include "core/runtime/thread_pool.h"
#include "core/text/token_batch.h"

namespace contrastive::methods {
namespace {

// Texts encoded at a time: enough to fill the encoder's packed batches, and few enough to lose
// little if a run is interrupted.
constexpr size_t kChunk = 4096;

uint64_t hash_ids(const text::TokenBatch& batch, int64_t text) {
  data::ContentHash hash;
  hash.update(
      {reinterpret_cast<const char*>(batch.ids.data() + batch.offsets[static_cast<size_t>(text)]),
       static_cast<size_t>(batch.length(text)) * sizeof(int32_t)});
  return hash.value();
}

}  // namespace

EmbeddingCache::EmbeddingCache(std::shared_ptr<const model::SentenceEncoder> encoder,
                               const EmbeddingCacheOptions& options)
    : encoder_(std::move(encoder)), options_(options),
      dimension_(encoder_->dimension(options.encode)) {
  const int64_t max_length =
      options_.encode.max_length > 0 ? options_.encode.max_length : encoder_->max_length();
  key_prefix_ = cat(encoder_->fingerprint(), "\n", options_.encode.pooling, "\n", max_length, "\n",
                    options_.encode.normalize, "\n");
  const int64_t row_bytes = dimension_ * (options_.half ? 2 : 4);
  if (options_.folder.empty()) {
    store_ = std::make_unique<data::RowStore>(row_bytes);
  } else {
    // A separate folder for each kind of row, so that all rows of a file have one size.
    const std::string kind =
        sha256_hex(cat(key_prefix_, dimension_, options_.half ? " float16" : " float32"))
            .substr(0, 32);
    store_ = std::make_unique<data::RowStore>(row_bytes, options_.folder + "/embeddings-" + kind);
  }
}

data::RowKey EmbeddingCache::key(std::string_view text) const {
  Sha256 hash;
  hash.update(key_prefix_);
  hash.update(text);
  return data::row_key(hash);
}

std::vector<int64_t> EmbeddingCache::rows(const std::vector<std::string_view>& texts,
                                          const Cancel* cancel) {
  std::vector<data::RowKey> keys;
  keys.reserve(texts.size());
  for (const std::string_view text : texts) keys.push_back(key(text));
  std::vector<std::string_view> missing;
  std::vector<data::RowKey> missing_keys;
  for (size_t i = 0; i < texts.size(); ++i) {
    if (store_->find(keys[i]) != data::RowStore::kAbsent) continue;
    missing.push_back(texts[i]);
    missing_keys.push_back(keys[i]);
  }
  encode_missing(missing, missing_keys, cancel);
  std::vector<int64_t> numbers;
  numbers.reserve(texts.size());
  for (const data::RowKey& k : keys) numbers.push_back(store_->find(k));
  return numbers;
}

void EmbeddingCache::encode_missing(const std::vector<std::string_view>& texts,
                                    const std::vector<data::RowKey>& keys, const Cancel* cancel) {
  model::EncodeOptions encode = options_.encode;
  encode.cancel = cancel;
  const int64_t max_length = encode.max_length > 0 ? encode.max_length : encoder_->max_length();
  std::unordered_set<std::string_view> seen;
  std::vector<std::string_view> chunk;
  std::vector<data::RowKey> chunk_keys;
  std::vector<float> vectors;
  const auto flush = [&] {
    vectors.resize(chunk.size() * static_cast<size_t>(dimension_));
    encoder_->encode(chunk, encode, vectors.data());
    text::TokenBatch tokens;
    for (const std::string_view text : chunk)
      encoder_->tokenizer().append(text, max_length, tokens);
    tokens_encoded_ += tokens.tokens();
    for (size_t i = 0; i < chunk.size(); ++i) {
      append(chunk_keys[i], hash_ids(tokens, static_cast<int64_t>(i)),
             &vectors[i * static_cast<size_t>(dimension_)]);
    }
    chunk.clear();
    chunk_keys.clear();
  };
  for (size_t i = 0; i < texts.size(); ++i) {
    if (!seen.insert(texts[i]).second) continue;
    chunk.push_back(texts[i]);
    chunk_keys.push_back(keys[i]);
    if (chunk.size() == kChunk) flush();
  }
  if (!chunk.empty()) flush();
}

tensors::TorchTensorMap EmbeddingCache::save() const {
  const int64_t begin = store_->durable_rows(), count = store_->size() - begin;
  std::vector<int64_t> numbers(static_cast<size_t>(count));
  std::iota(numbers.begin(), numbers.end(), begin);
  at::Tensor records =
      at::empty({count, 3}, at::kLong);  // both halves of the key, and the identity
  int64_t* into = records.mutable_data_ptr<int64_t>();
  for (const int64_t number : numbers) {
    for (const uint64_t half : store_->key(number)) *into++ = static_cast<int64_t>(half);
    *into++ = identity(number);
  }
  return {{"cache.vectors", gather(numbers)}, {"cache.records", records}};
}

void EmbeddingCache::load(const tensors::TorchTensorMap& tensors) {
  const auto vectors = tensors.find("cache.vectors"), records = tensors.find("cache.records");
  check(vectors != tensors.end() && records != tensors.end(), Status::kMismatch,
        "the saved run has no embedding cache");
  const bool fits = records->second.dim() == 2 && records->second.size(1) == 3 &&
                    records->second.scalar_type() == at::kLong && vectors->second.dim() == 2 &&
                    vectors->second.scalar_type() == at::kFloat &&
                    vectors->second.size(0) == records->second.size(0) &&
                    vectors->second.size(1) == dimension_;
  check(fits, Status::kMismatch, "the saved run's embedding cache holds vectors of ",
        vectors->second.sizes(), ", the encoder gives ", dimension_);
  const int64_t count = records->second.size(0);
  const float* vector = vectors->second.const_data_ptr<float>();
  const int64_t* record = records->second.const_data_ptr<int64_t>();
  for (int64_t i = 0; i < count; ++i, vector += dimension_, record += 3) {
    const data::RowKey key{static_cast<uint64_t>(record[0]), static_cast<uint64_t>(record[1])};
    if (store_->find(key) == data::RowStore::kAbsent)
      append(key, static_cast<uint64_t>(record[2]), vector);
  }
}

void EmbeddingCache::append(const data::RowKey& key, uint64_t identity, const float* vector) {
  if (!options_.half) {
    store_->append(key, identity, vector);
    return;
  }
  const std::vector<c10::Half> halves(vector, vector + dimension_);
  store_->append(key, identity, halves.data());
}

at::Tensor EmbeddingCache::gather(const std::vector<int64_t>& rows) const {
  at::Tensor result = at::empty({static_cast<int64_t>(rows.size()), dimension_}, at::kFloat);
  float* const into = result.mutable_data_ptr<float>();
  runtime::parallel_rows(result.size(0), [&](int64_t, int64_t first, int64_t end) {
    std::vector<c10::Half> halves(options_.half ? static_cast<size_t>(dimension_) : 0);
    for (int64_t i = first; i < end; ++i) {
      float* const vector = into + i * dimension_;
      store_->read(rows[static_cast<size_t>(i)],
                   options_.half ? static_cast<void*>(halves.data()) : vector);
      std::copy(halves.begin(), halves.end(), vector);
    }
  });
  return result;
}

}  // namespace contrastive::methods
