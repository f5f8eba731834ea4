// Rerankers as the verbs load them.
#pragma once

#include <memory>
#include <string>

#include "capi/program/handle.h"
#include "capi/program/verb.h"

namespace contrastive::cli {

using Reranker = std::unique_ptr<cs_reranker, Freer<cs_reranker_free>>;

// The keys are those of topic "cross-encoder", which `settings` uses.
Reranker load_reranker(const std::string& folder, const Settings& settings, bool main_topic);

}  // namespace contrastive::cli
