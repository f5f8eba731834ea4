#include "core/model/model.h"

#include "core/model/cross_encoder.h"
#include "core/model/sentence_encoder.h"

namespace contrastive::model {

std::shared_ptr<SentenceEncoder> sentence_encoder(const std::shared_ptr<Model>& model) {
  return std::dynamic_pointer_cast<SentenceEncoder>(model);
}

std::shared_ptr<CrossEncoder> cross_encoder(const std::shared_ptr<Model>& model) {
  return std::dynamic_pointer_cast<CrossEncoder>(model);
}

}  // namespace contrastive::model
