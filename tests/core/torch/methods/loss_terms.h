// Computes both stages of a method's loss at once, as the trainer does for an update of one part.
#pragma once

#include "core/torch/methods/method.h"

namespace contrastive::methods {

inline LossTerms loss_terms(Method& method, const data::Batch& batch) {
  return method.compare(method.views(batch), batch);
}

}  // namespace contrastive::methods
