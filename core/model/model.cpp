#include "core/model/model.h"

#include "core/model/cross_encoder.h"
#include "core/model/replicas.h"
#include "core/model/sentence_encoder.h"

namespace contrastive::model {

int64_t weight_bytes(const Model& model) {
  int64_t bytes = 0;
  for (const auto& encoder : model.replicas().all()) bytes += encoder->weight_bytes();
  for (const io::DenseModule& module : model.folder().dense)
    bytes += module.weight.bytes() + module.bias.bytes();
  return bytes;
}

std::shared_ptr<SentenceEncoder> sentence_encoder(const std::shared_ptr<Model>& model) {
  return std::dynamic_pointer_cast<SentenceEncoder>(model);
}

std::shared_ptr<CrossEncoder> cross_encoder(const std::shared_ptr<Model>& model) {
  return std::dynamic_pointer_cast<CrossEncoder>(model);
}

}  // namespace contrastive::model
