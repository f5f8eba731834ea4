// sentence_bert_config.json: how sentence-transformers' Transformer module loads the encoder and
// prepares texts. What shapes a vector is applied, or refused by its key.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "core/base/json.h"

namespace contrastive::io {

struct SentenceConfig {
  int64_t max_seq_length = 0;  // what cuts a text, whichever key states it; 0: not stated
  bool truncates = true;       // false: only the encoder's own limit cuts a text
  bool do_lower_case = false;
  Json config_changes = Json::object();  // keys that replace those of config.json (config_args)
  Json kept = Json::object();            // keys that a save writes back as they were
  std::string file;                      // "" without one
};

// `task`: what transformer_task must be, where it is stated: "feature-extraction", or
// "sequence-classification" of a reranker. kFormat, kUnsupported.
SentenceConfig read_sentence_config(const std::string& transformer_folder,
                                    std::vector<std::string>& notes,
                                    const char* task = "feature-extraction");

}  // namespace contrastive::io
