// The similarity that a task uses: a named one, or the model's own (similarity_fn_name of its
// folder).
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "core/model/sentence_encoder.h"
#include "core/retrieval/similarity.h"

namespace contrastive::eval {

enum class ChosenMetric : int32_t { kModel = -1 };  // every other value is a retrieval::Metric

// "model" and the names of retrieval::metric_names().
const std::vector<std::pair<std::string, ChosenMetric>>& metric_choices();

retrieval::Metric metric_for(ChosenMetric chosen, const model::SentenceEncoder& model);

}  // namespace contrastive::eval
