// What the verbs that mine share: data and a corpus opened, cs_mine with its progress, and its
// report for people.
#pragma once

#include <string>

#include "capi/program/handle.h"
#include "capi/program/terminal.h"
#include "capi/program/verb.h"

namespace contrastive::cli {

Dataset open_data(const std::string& path, const cs_config* config);
// --corpus, and how it is read.
struct CorpusArguments {
  std::string path, format, column;

  // `help` says what the corpus is for.
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

// The report of cs_mine. A progress line shows how far it is, unless the common options say
// otherwise.
Json mine_file(const MiningInputs& inputs, const std::string& output, const Common& common);
void print_mining(const Json& report, const std::string& output);

}  // namespace contrastive::cli
