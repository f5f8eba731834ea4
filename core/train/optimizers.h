// The makers behind make_optimizer(), one for each family: lars.cpp, sgd.cpp, adam.cpp.
#pragma once

#include "core/train/optimizer.h"

namespace contrastive::train {

std::unique_ptr<Optimizer> make_lars(const OptimizerOptions& options, std::vector<methods::Parameter> parameters);
std::unique_ptr<Optimizer> make_sgd(const OptimizerOptions& options, std::vector<methods::Parameter> parameters);
std::unique_ptr<Optimizer> make_adam(const OptimizerOptions& options, std::vector<methods::Parameter> parameters);  // adam, adamw, adamw-hf

}  // namespace contrastive::train
