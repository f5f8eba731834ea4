#include "core/torch/methods/reranker/fresh_head.h"

#include <algorithm>

#include "core/base/error.h"
#include "core/base/log.h"
#include "core/base/rng.h"
#include "core/encoder/static_encoder.h"

namespace contrastive::methods {
namespace {

constexpr uint64_t kHeadStream = 4;  // other heads and the encoder draw from 0 to 3

// A matrix is drawn, a bias is 0, the weight of a norm is 1.
Tensor fresh(const std::string& name, const std::vector<int64_t>& shape, double deviation,
             Rng rng) {
  Tensor tensor(shape);
  float* const values = tensor.mutable_floats();
  const bool matrix = shape.size() == 2,
             norm = !matrix && name.find("LayerNorm.weight") != std::string::npos;
  for (int64_t i = 0; i < tensor.elements(); ++i)
    values[i] = matrix ? static_cast<float>(deviation * rng.normal()) : norm ? 1.0F : 0.0F;
  return tensor;
}

std::shared_ptr<model::SentenceEncoder> with_pooler(const model::SentenceEncoder& model,
                                                    io::ModelFolder folder, uint64_t seed) {
  const int64_t hidden = model.shape().hidden_size;
  const double deviation = model.shape().initializer_range;
  for (const auto& [name, tensor] : model.encoder().named_parameters())
    folder.weights[name] = tensor.clone();
  folder.weights["pooler.dense.weight"] = fresh("pooler.dense.weight", {hidden, hidden}, deviation,
                                                Rng(seed, Purpose::kInitialise, kHeadStream, 0));
  folder.weights["pooler.dense.bias"] = fresh("pooler.dense.bias", {hidden}, deviation,
                                              Rng(seed, Purpose::kInitialise, kHeadStream, 0));
  model::LoadOptions options;
  options.device = model.encoder().device().str();
  options.precision = runtime::precision_name(model.encoder().precision());
  return std::make_shared<model::SentenceEncoder>(std::move(folder), options);
}

}  // namespace

MethodContext with_head(const MethodContext& context, int64_t labels) {
  if (context.head != nullptr) return context;
  const model::SentenceEncoder& model = *context.start;
  const encoder::Architecture& shape = model.shape();
  check(!encoder::is_static(shape), Status::kUnsupported,
        "the model is a table of static embeddings, which cannot read two texts together");
  io::Classifier head = io::plan_classifier(model.folder().config, "config.json", shape, labels);
  uint64_t number = 1;
  for (const auto& [name, sizes] : encoder::classification_head_shapes(shape, head.head, labels)) {
    head.weights[name] = fresh(name, sizes, shape.initializer_range,
                               Rng(context.seed, Purpose::kInitialise, kHeadStream, number++));
  }
  io::ModelFolder folder = model.folder();
  folder.prompts.clear();
  folder.default_prompt_name.clear();
  folder.poolings = {"cls"};
  folder.dense.clear();
  folder.normalize = false;
  const bool pooler = head.head.pooling == "cls-pooler" && !model.encoder().has_pooler();
  log_info("the model is not a reranker yet: it gets a new head with ", labels,
           labels == 1 ? " label" : " labels",
           pooler ? ", and a new pooler, which its checkpoint lacks" : "");
  MethodContext result = context;
  result.start =
      pooler ? with_pooler(model, std::move(folder), context.seed)
             : std::make_shared<model::SentenceEncoder>(std::move(folder), model.replicas());
  result.head = std::make_shared<const io::Classifier>(std::move(head));
  return result;
}

}  // namespace contrastive::methods
