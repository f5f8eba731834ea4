// Shared by the verbs that mine: opens data and corpus, runs cs_mine with a progress line, and
// prints its report.
#pragma once

#include <string>

#include "capi/program/handle.h"
#include "capi/program/terminal.h"
#include "capi/program/verb.h"

namespace contrastive::cli {

Dataset open_data(const std::string& path, const cs_config* config);
// --corpus and its format options.
struct CorpusArguments {
  std::string path, format, column;

  // `help` describes the corpus.
  void add_to(CLI::App* verb, const std::string& help);
  Dataset dataset() const;  // null if no corpus was given
};

struct MiningInputs {
  const cs_model* model;
  const cs_model* guide;  // a sentence encoder or a reranker; nullable
  const cs_dataset* pairs;
  const cs_dataset* corpus;  // nullable
  const cs_config* keys;
};

// Runs cs_mine and returns its report. Shows a progress line unless the common options turn it off.
Json mine_file(const MiningInputs& inputs, const std::string& output, const Common& common);
void print_mining(const Json& report, const std::string& output);

}  // namespace contrastive::cli
