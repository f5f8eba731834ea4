#include "core/torch/methods/start_mlm_head.h"

#include <map>
#include <string>

#include "core/base/log.h"

namespace contrastive::methods {

nn::MlmHead start_mlm_head(const TunedEncoder& encoder, int64_t words, uint64_t seed) {
  encoder::Architecture shape = encoder.shape();
  shape.vocab_size = words;
  const tensors::TorchTensorMap loaded = tensors::to_torch(encoder.model().folder().mlm_head);
  log_info("the head of the masked language model ",
           loaded.empty() ? "starts at random" : "is the checkpoint's");
  std::map<std::string, at::Tensor> weights;
  const nn::MlmHead head =
      loaded.empty() ? nn::MlmHead::random(shape, seed) : nn::MlmHead(shape, loaded);
  for (const auto& [name, tensor] : head.named_parameters()) {
    weights[name] = tensor.detach()
                        .to(encoder.encoder().device(), encoder.encoder().precision())
                        .clone()
                        .set_requires_grad(true);
  }
  return nn::MlmHead(shape, weights);
}

}  // namespace contrastive::methods
