#include "core/torch/methods/clear/extra_token_row.h"

#include <ATen/core/grad_mode.h>
#include <ATen/ops/cat.h>
#include <ATen/ops/empty.h>

#include "core/base/rng.h"
#include "core/torch/tensors/tensors.h"
#include "core/torch/nn/torch_encoder.h"

namespace contrastive::methods {
namespace {

constexpr const char* kWords = "embeddings.word_embeddings.weight";
constexpr uint64_t kRowStream = 3;  // the encoder and the heads draw from 0, 1 and 2

// Returns a separate model with other word embeddings.
std::shared_ptr<model::SentenceEncoder> with_words(model::SentenceEncoder& model,
                                                   const at::Tensor& words) {
  io::ModelFolder folder = model.folder();
  for (const auto& [name, tensor] : model.encoder().named_parameters())
    folder.weights[name] = tensor.clone();
  folder.weights[kWords] = tensors::from_torch(words.detach().to(at::kFloat)).clone();
  folder.encoder.vocab_size = words.size(0);
  model::LoadOptions options;
  options.device = model.encoder().device().str();
  options.precision = runtime::precision_name(model.encoder().precision());
  return std::make_shared<model::SentenceEncoder>(std::move(folder), options);
}

}  // namespace

std::shared_ptr<model::SentenceEncoder> with_extra_row(model::SentenceEncoder& model,
                                                       uint64_t seed) {
  const at::NoGradGuard no_grad;
  const at::Tensor words = nn::trainable(model.encoder()).weights().embeddings.words;
  at::Tensor row = at::empty({1, words.size(1)}, at::kFloat);
  Rng rng(seed, Purpose::kInitialise, kRowStream);
  for (int64_t i = 0; i < row.numel(); ++i) {
    row.mutable_data_ptr<float>()[i] =
        static_cast<float>(model.shape().initializer_range * rng.normal());
  }
  return with_words(model, at::cat({words, row.to(words.device(), words.scalar_type())}));
}

std::shared_ptr<model::SentenceEncoder> without_extra_row(model::SentenceEncoder& model) {
  const at::NoGradGuard no_grad;
  const at::Tensor words = nn::trainable(model.encoder()).weights().embeddings.words;
  return with_words(model, words.narrow(0, 0, words.size(0) - 1));
}

}  // namespace contrastive::methods
