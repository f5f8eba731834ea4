#include "core/torch/methods/frozen_scores.h"

#include <ATen/ops/empty.h>

#include <algorithm>
#include <set>

#include "core/base/error.h"
#include "core/base/named_by_key.h"
#include "core/base/sha256.h"

namespace contrastive::methods {
namespace {

std::shared_ptr<const model::CrossEncoder> frozen_reranker(const std::string& key,
                                                           const std::string& folder,
                                                           const MethodContext& context) {
  model::CheckpointOptions options;
  options.device = context.start->encoder().device().str();
  return named_by_key(key, [&] {
    std::shared_ptr<const model::CrossEncoder> model = model::CrossEncoder::load(folder, options);
    check(model->label_count() == 1, Status::kArgument, folder,
          ": a teacher gives one score a pair, but this reranker has ", model->label_count(),
          " labels");
    return model;
  });
}

}  // namespace

FrozenScores::FrozenScores(const std::string& key, const std::string& folder,
                           const MethodContext& context)
    : model_(frozen_reranker(key, folder, context)),
      key_prefix_(model_->fingerprint() + "\nlogits\n") {
  const std::string place =
      context.cache_folder + "/scores-" + sha256_hex(key_prefix_).substr(0, 32);
  store_ = context.cache_folder.empty() ? std::make_unique<data::RowStore>(sizeof(float))
                                        : std::make_unique<data::RowStore>(sizeof(float), place);
}

data::RowKey FrozenScores::key(const model::TextPair& pair) const {
  Sha256 hash;
  hash.update(cat(key_prefix_, pair.first.size(), "\n"));
  hash.update(pair.first);
  hash.update(pair.second);
  return data::row_key(hash);
}

at::Tensor FrozenScores::operator()(const std::vector<model::TextPair>& pairs) {
  std::vector<data::RowKey> keys, missing_keys;
  std::vector<model::TextPair> missing;
  std::set<data::RowKey> seen;
  for (const model::TextPair& pair : pairs) {
    keys.push_back(key(pair));
    if (store_->find(keys.back()) != data::RowStore::kAbsent || !seen.insert(keys.back()).second)
      continue;
    missing.push_back(pair);
    missing_keys.push_back(keys.back());
  }
  if (!missing.empty()) score_missing(missing, missing_keys);
  at::Tensor scores = at::empty({static_cast<int64_t>(pairs.size())}, at::kFloat);
  float* into = scores.mutable_data_ptr<float>();
  for (const data::RowKey& k : keys) store_->read(store_->find(k), into++);
  return scores;
}

void FrozenScores::score_missing(const std::vector<model::TextPair>& pairs,
                                 const std::vector<data::RowKey>& keys) {
  model::ScoreOptions options;
  options.activation = "identity";
  std::vector<float> scores(pairs.size());
  model_->score(pairs, options, scores.data());
  for (size_t i = 0; i < pairs.size(); ++i) store_->append(keys[i], 0, &scores[i]);
}

MethodState FrozenScores::save() const {
  const int64_t begin = store_->durable_rows(), count = store_->size() - begin;
  at::Tensor keys = at::empty({count, 2}, at::kLong), scores = at::empty({count}, at::kFloat);
  int64_t* into = keys.mutable_data_ptr<int64_t>();
  for (int64_t i = 0; i < count; ++i) {
    for (const uint64_t half : store_->key(begin + i)) *into++ = static_cast<int64_t>(half);
    store_->read(begin + i, scores.mutable_data_ptr<float>() + i);
  }
  return {{{"scores.keys", keys}, {"scores.values", scores}}, Json::object()};
}

void FrozenScores::load(const MethodState& state) {
  const auto keys = state.tensors.find("scores.keys"), scores = state.tensors.find("scores.values");
  check(keys != state.tensors.end() && scores != state.tensors.end(), Status::kMismatch,
        "the saved run has no scores of a teacher");
  const bool fits = keys->second.dim() == 2 && keys->second.size(1) == 2 &&
                    keys->second.scalar_type() == at::kLong && scores->second.dim() == 1 &&
                    scores->second.scalar_type() == at::kFloat &&
                    scores->second.size(0) == keys->second.size(0);
  check(fits, Status::kMismatch, "the saved run's scores of a teacher are ", scores->second.sizes(),
        " with keys ", keys->second.sizes());
  const int64_t* half = keys->second.const_data_ptr<int64_t>();
  const float* score = scores->second.const_data_ptr<float>();
  for (int64_t i = 0; i < scores->second.size(0); ++i, half += 2, ++score) {
    const data::RowKey key{static_cast<uint64_t>(half[0]), static_cast<uint64_t>(half[1])};
    if (store_->find(key) == data::RowStore::kAbsent) store_->append(key, 0, score);
  }
}

}  // namespace contrastive::methods
