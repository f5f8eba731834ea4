// The parts of a report: which tables and figures it has and what they say. A note gives the reason
// for what cannot be shown.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "capi/program/report/measure.h"
#include "capi/program/report/document.h"
#include "capi/program/report/run_record.h"

namespace contrastive::cli::report {

// Labels can distinguish this many runs in one chart. Of more runs the charts show a curve for each
// cell, without labels.
constexpr size_t kMostLabelled = 16;

struct Run {
  RunRecord record;
  size_t colour = 0;  // the run's own or, of more than kMostLabelled runs, that of its cell
  std::optional<Measurement> measured;
};

struct Contents {
  std::vector<Run> runs;
  std::vector<Json> tables;  // table.json of the experiments among the folders
  Material material;
};

// The tables of those folders that are an experiment's.
std::vector<Json> read_experiment_tables(const std::vector<std::string>& paths);

void write_overview(Document& document, const Contents& contents);
void write_experiments(Document& document, const Contents& contents);
void write_training(Document& document, const Contents& contents);
void write_embeddings(Document& document, const Contents& contents);
void write_configuration(Document& document, const Contents& contents);

// "A, C: ", to be put before a reason that concerns these runs.
std::string letters(const std::vector<std::string>& of);

}  // namespace contrastive::cli::report
