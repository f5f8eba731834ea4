#include "core/torch/methods/frozen_vectors.h"

#include "core/base/error.h"
#include "core/base/named_by_key.h"
#include "core/io/classifier.h"

namespace contrastive::methods {
namespace {

std::shared_ptr<const model::SentenceEncoder> frozen_model(const std::string& key,
                                                           const std::string& folder,
                                                           const MethodContext& context) {
  if (folder.empty()) return context.start;
  model::LoadOptions options;
  options.device = context.start->encoder().device().str();
  return named_by_key(key, [&] { return model::SentenceEncoder::load(folder, options); });
}

}  // namespace

void check_gives_vectors(const std::string& key, const std::string& folder,
                         const std::string& advice) {
  check(!io::is_reranker_folder(folder), Status::kArgument, "config key '", key, "': ", folder,
        " is a reranker, which gives scores and no vectors: ", advice);
}

FrozenVectors::FrozenVectors(const std::string& key, const std::string& folder,
                             const MethodContext& context, int normalize)
    : model_(frozen_model(key, folder, context)) {
  model::EncodeOptions encode;
  encode.normalize = normalize;
  cache_ =
      std::make_unique<EmbeddingCache>(model_,
                                       EmbeddingCacheOptions{encode, context.cache_folder, false});
}

at::Tensor FrozenVectors::operator()(const std::vector<std::string_view>& texts,
                                     const Cancel* cancel) {
  return cache_->gather(cache_->rows(texts, cancel));
}

std::vector<at::Tensor> FrozenVectors::columns(const data::Batch& batch, bool negatives) {
  std::vector<std::string_view> all;
  std::vector<int64_t> counts(3, 0);
  const auto add = [&](size_t column, const std::string& text) {
    all.push_back(text);
    ++counts[column];
  };
  for (const data::Example& example : batch.examples) add(0, example.a);
  for (const data::Example& example : batch.examples) {
    if (example.has_b) add(1, example.b);
  }
  for (const data::Example& example : batch.examples) {
    for (const std::string& text : example.negatives) {
      if (negatives) add(2, text);
    }
  }
  const at::Tensor vectors =
      (*this)(all);  // all texts of a batch together, so that those that are new share a pass
  std::vector<at::Tensor> columns;
  int64_t first = 0;
  for (const int64_t count : counts) {
    columns.push_back(vectors.narrow(0, first, count));
    first += count;
  }
  return columns;
}

}  // namespace contrastive::methods
