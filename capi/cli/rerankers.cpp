#include "capi/cli/rerankers.h"

#include "capi/cli/failure.h"
#include "capi/cli/files.h"

namespace contrastive::cli {

bool is_reranker_folder(const std::string& folder) {
  const std::string path = folder + "/config.json", ending = "ForSequenceClassification";
  if (!exists(path)) return false;
  const Json config = Json::parse(read_text_file(path), nullptr, false);
  if (!config.is_object()) return false;
  for (const Json& name : config.value("architectures", Json::array())) {
    if (!name.is_string()) continue;
    const std::string text = name.get<std::string>();
    if (text.size() >= ending.size() && text.compare(text.size() - ending.size(), ending.size(), ending) == 0) return true;
  }
  return false;
}

Reranker load_reranker(const std::string& folder, const Settings& settings, bool main_topic) {
  const ConfigHandle config = settings.config("reranker", main_topic);
  Outcome outcome;
  Reranker reranker(cs_reranker_load(folder.c_str(), config.get(), outcome));
  outcome.check();
  return reranker;
}

}  // namespace contrastive::cli
