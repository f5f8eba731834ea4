// Gradients between backward and step: their norm, clipping, and the search for what is not a
// number.
#pragma once

#include <string>
#include <vector>

#include "core/torch/optim/parameter.h"

namespace contrastive::optim {

// L2 norm over the gradients of all parameters; not finite when one of them is not.
double gradient_norm(const std::vector<Parameter>& parameters);
// What gradients of this norm are to be multiplied with so that it does not exceed max_norm:
// max_norm / (norm + 1e-6) where that is below 1, else 1 (torch.nn.utils.clip_grad_norm_).
// Optimizer::step takes it along, which spares a pass over memory.
double clip_factor(double norm, double max_norm);
void clear_gradients(const std::vector<Parameter>& parameters);

// "the weight 'head.0.weight' (3 of 1024 elements)" for the first parameter with NaN or infinity in
// it, else of the first gradient, else "".
std::string first_bad_tensor(const std::vector<Parameter>& parameters);

}  // namespace contrastive::optim
