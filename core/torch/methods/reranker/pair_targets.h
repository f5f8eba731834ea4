// What the pairs of an example are to be scored: its second text, then each of its hard negatives.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "core/data/example.h"
#include "core/torch/methods/reranker/reranker.h"

namespace contrastive::methods {

// One number for each of its texts b and negatives, for reranker.loss = classes the class alone.
// Empty where a teacher model says it. `labels`: of the head. kArgument, beginning with where(),
// for an example that the loss cannot learn from.
std::vector<double> pair_targets(const data::Example& example, const RerankerOptions& options,
                                 int64_t labels, const std::function<std::string()>& where);

}  // namespace contrastive::methods
