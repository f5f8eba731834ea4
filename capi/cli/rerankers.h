// Rerankers as the verbs load them, and how their folders are told from those of sentence encoders.
#pragma once

#include <memory>
#include <string>

#include "capi/cli/handle.h"
#include "capi/cli/verb.h"

namespace contrastive::cli {

using Reranker = std::unique_ptr<cs_reranker, Freer<cs_reranker_free>>;

// Whether config.json there names a class ...ForSequenceClassification. False where nothing can be read: loading says what is wrong.
bool is_reranker_folder(const std::string& folder);
// The keys are those of topic "reranker", which `settings` uses.
Reranker load_reranker(const std::string& folder, const Settings& settings, bool main_topic);

}  // namespace contrastive::cli
