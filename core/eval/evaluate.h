// Evaluation tasks by name, on a model and a config: what cs_evaluate and `contrastive eval` run.
#pragma once

#include <string>
#include <vector>

#include "core/base/cancel.h"
#include "core/base/config.h"
#include "core/model/sentence_encoder.h"

namespace contrastive::eval {

// Runs `task` and returns its figures. kArgument for an unknown task (with the nearest name), an unknown key or a value out of range.
//   "sts"        keys data, similarity, encode.*           figures: StsReport::to_json
//   "retrieval"  keys data or corpus + queries + qrels, k  figures: RetrievalReport::to_json
//   "geometry"   keys data, min_score, encode.*            figures: {"pairs", "texts", "alignment", "uniformity", "mean_cosine"}
Json evaluate(const model::SentenceEncoder& model, const std::string& task, const Config& config, const Cancel* cancel);

std::vector<std::string> task_names();
// The keys of one task (kArgument when unknown), as rows of `cs_config_describe`.
Json describe_task(const std::string& task);

}  // namespace contrastive::eval
