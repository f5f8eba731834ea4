// The functions behind make_optimizer(), one for each family: lars.cpp, sgd.cpp, adam.cpp,
// rmsprop.cpp.
#pragma once

#include "core/torch/optim/optimizer.h"

namespace contrastive::optim {

std::unique_ptr<Optimizer> make_lars(const OptimizerOptions& options,
                                     std::vector<Parameter> parameters);
std::unique_ptr<Optimizer> make_sgd(const OptimizerOptions& options,
                                    std::vector<Parameter> parameters);
std::unique_ptr<Optimizer> make_adam(const OptimizerOptions& options,
                                     std::vector<Parameter> parameters);  // adam, adamw, adamw-hf
std::unique_ptr<Optimizer> make_rmsprop(const OptimizerOptions& options,
                                        std::vector<Parameter> parameters);

}  // namespace contrastive::optim
