// The target scores of an example's pairs: for its second text, then for each hard negative.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "core/data/example.h"
#include "core/torch/methods/reranker/reranker.h"

namespace contrastive::methods {

// One number for the text b and each negative; with reranker.loss = classes only the class. Empty
// if a teacher model gives the targets. `labels`: of the head. kArgument, beginning with where(),
// for an example that the loss cannot learn from.
std::vector<double> pair_targets(const data::Example& example, const RerankerOptions& options,
                                 int64_t labels, const std::function<std::string()>& where);

}  // namespace contrastive::methods
