// sentence_bert_config.json: how sentence-transformers' Transformer module loads the encoder and
// prepares texts. Every key that affects a vector is either applied or refused by its name.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "core/base/json.h"

namespace contrastive::io {

struct SentenceConfig {
  int64_t max_seq_length = 0;  // the limit of a text, from whichever key sets it; 0 if none does
  bool truncates = true;       // false: only the encoder's own limit cuts a text
  bool do_lower_case = false;
  Json config_changes = Json::object();  // keys that replace those of config.json (config_args)
  Json kept = Json::object();            // keys that a save writes back unchanged
  std::string file;                      // "" without one
};

// `task`: the required transformer_task, if the file has one: "feature-extraction", or
// "sequence-classification" for a reranker. Throws kFormat and kUnsupported.
SentenceConfig read_sentence_config(const std::string& transformer_folder,
                                    std::vector<std::string>& notes,
                                    const char* task = "feature-extraction");

}  // namespace contrastive::io
