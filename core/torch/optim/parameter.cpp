#include "core/torch/optim/parameter.h"

namespace contrastive::optim {

bool decays_by_name(const std::string& name) {
  // "LayerNorm.bias" holds "bias" anyway.
  return name.find("bias") == std::string::npos &&
         name.find("LayerNorm.weight") == std::string::npos;
}

}  // namespace contrastive::optim
