// The option --metric: names of CS_METRIC_*, and the model's default.
#pragma once

#include <string>

#include "capi/program/failure.h"
#include "capi/program/handle.h"
#include "capi/program/json_of.h"
#include "capi/program/verb.h"

namespace contrastive::cli {

inline void add_metric_option(CLI::App* verb, std::string& metric) {
  add_option(verb, "--metric", metric,
             "cosine, dot, euclidean or manhattan (distances are negated); default: the model's "
             "own (similarity_fn_name), else cosine")
      ->check(CLI::IsMember({"cosine", "dot", "euclidean", "manhattan"}));
}

// `name`, or if that is "" the metric that the model states.
inline std::string metric_name(const std::string& name, const cs_model* model) {
  if (!name.empty()) return name;
  Outcome outcome;
  const String info(cs_model_info(model, outcome));
  outcome.check();
  return json_of(info.get()).value("similarity", "cosine");
}

inline int32_t metric_number(const std::string& name) {
  if (name == "dot") return CS_METRIC_DOT;
  if (name == "euclidean") return CS_METRIC_EUCLIDEAN;
  if (name == "manhattan") return CS_METRIC_MANHATTAN;
  if (name == "cosine") return CS_METRIC_COSINE;
  throw usage_failure("--metric '" + name +
                      "' is not a metric: use cosine, dot, euclidean or manhattan");
}

}  // namespace contrastive::cli
