#include "core/torch/optim/optimizer_list.h"

#include <c10/util/Exception.h>

// One line for each optimizer: the file of its family defines its <name>_optimizer().
#define CONTRASTIVE_OPTIMIZERS(OPTIMIZER) \
  OPTIMIZER(lars)                         \
  OPTIMIZER(sgd)                          \
  OPTIMIZER(adam)                         \
  OPTIMIZER(adamw)                        \
  OPTIMIZER(adamw_hf)                     \
  OPTIMIZER(rmsprop)

namespace contrastive::optim {

#define DECLARE(name) OptimizerEntry name##_optimizer();
#define ENTRY(name) name##_optimizer(),

CONTRASTIVE_OPTIMIZERS(DECLARE)

const std::vector<OptimizerEntry>& all_optimizers() {
  static const std::vector<OptimizerEntry> kOptimizers = {CONTRASTIVE_OPTIMIZERS(ENTRY)};
  return kOptimizers;
}

#undef DECLARE
#undef ENTRY
#undef CONTRASTIVE_OPTIMIZERS

std::unique_ptr<Optimizer> make_optimizer(const OptimizerOptions& options,
                                          std::vector<Parameter> parameters) {
  for (const OptimizerEntry& entry : all_optimizers()) {
    if (options.name == entry.name) return entry.make(options, std::move(parameters));
  }
  TORCH_CHECK(false, "unknown optimizer ", options.name);
}

}  // namespace contrastive::optim
