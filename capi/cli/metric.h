// The names of CS_METRIC_* on the command line.
#pragma once

#include <string>

#include "capi/cli/failure.h"
#include "capi/cli/verb.h"

namespace contrastive::cli {

inline void add_metric_option(CLI::App* verb, std::string& metric) {
  add_option(verb, "--metric", metric, "cosine, dot, euclidean or manhattan (distances are negated); default cosine")
      ->check(CLI::IsMember({"cosine", "dot", "euclidean", "manhattan"}));
}

inline int32_t metric_number(const std::string& name) {
  if (name == "dot") return CS_METRIC_DOT;
  if (name == "euclidean") return CS_METRIC_EUCLIDEAN;
  if (name == "manhattan") return CS_METRIC_MANHATTAN;
  if (name == "cosine") return CS_METRIC_COSINE;
  throw usage_failure("--metric '" + name + "' is no metric: use cosine, dot, euclidean or manhattan");
}

}  // namespace contrastive::cli
