// Gradients between backward and step: their norm, clipping, and the search for what is not a number.
#pragma once

#include <string>
#include <vector>

#include "core/methods/method.h"

namespace contrastive::train {

// L2 norm over the gradients of all parameters; not finite when one of them is not.
double gradient_norm(const std::vector<methods::Parameter>& parameters);
// Scales all gradients by max_norm / (norm + 1e-6) where that is below 1 (torch.nn.utils.clip_grad_norm_).
void clip_gradients(const std::vector<methods::Parameter>& parameters, double norm, double max_norm);
void scale_gradients(const std::vector<methods::Parameter>& parameters, double factor);
void clear_gradients(const std::vector<methods::Parameter>& parameters);

// "the weight 'head.0.weight' (3 of 1024 elements)" for the first parameter with NaN or infinity in it, else of the first gradient, else "".
std::string first_bad_tensor(const std::vector<methods::Parameter>& parameters);

}  // namespace contrastive::train
