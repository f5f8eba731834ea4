#include "capi/program/rerankers.h"

#include "capi/program/failure.h"

namespace contrastive::cli {

Reranker load_reranker(const std::string& folder, const Settings& settings, bool main_topic) {
  const ConfigHandle config = settings.config("cross-encoder", main_topic);
  Outcome outcome;
  Reranker reranker(cs_reranker_load(folder.c_str(), config.get(), outcome));
  outcome.check();
  return reranker;
}

}  // namespace contrastive::cli
