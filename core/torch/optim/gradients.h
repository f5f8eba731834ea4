// Gradients between the backward pass and the optimiser's step: their norm, clipping, and the
// search for NaN and infinity.
#pragma once

#include <string>
#include <vector>

#include "core/torch/optim/parameter.h"

namespace contrastive::optim {

// L2 norm over the gradients of all parameters; not finite if one of them is not.
double gradient_norm(const std::vector<Parameter>& parameters);
// The factor for gradients of this norm so that their norm does not exceed max_norm: max_norm /
// (norm + 1e-6) if that is below 1, otherwise 1 (torch.nn.utils.clip_grad_norm_). Optimizer::step
// applies it, which saves a pass over memory.
double clip_factor(double norm, double max_norm);
void clear_gradients(const std::vector<Parameter>& parameters);

// "the weight 'head.0.weight' (3 of 1024 elements)" for the first parameter that contains NaN or
// infinity; otherwise the same for the first such gradient; otherwise "".
std::string first_bad_tensor(const std::vector<Parameter>& parameters);

}  // namespace contrastive::optim
