// The parts of a report: which tables and figures there are, and what is said about them. What
// cannot be shown is left out with its reason.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "capi/program/report/measure.h"
#include "capi/program/report/page.h"
#include "capi/program/report/run_record.h"

namespace contrastive::cli::report {

// So many runs can be told apart by labels in one chart; of more the charts show cells, and no
// labels.
constexpr size_t kMostLabelled = 16;

struct Run {
  RunRecord record;
  size_t colour =
      0;  // of colour_class(): the run's own, or, of more than kMostLabelled runs, its cell's
  std::optional<Measurement> measured;
};

struct Contents {
  std::vector<Run> runs;
  std::vector<Json> tables;  // table.json of the experiments among the folders
  Material material;
};

// Of the folders that are an experiment's.
std::vector<Json> read_experiment_tables(const std::vector<std::string>& paths);

void write_overview(Page& page, const Contents& contents);
void write_experiments(Page& page, const Contents& contents);
void write_training(Page& page, const Contents& contents);
void write_embeddings(Page& page, const Contents& contents);
void write_configuration(Page& page, const Contents& contents);

// Sizes of the pictures: for half a page or a telephone, and for a whole page.
constexpr Size kHalf = {440, 270}, kWide = {1000, 340}, kSquare = {440, 380};

// "A, C: " before a reason, where there are several runs.
std::string letters(const std::vector<std::string>& of);

}  // namespace contrastive::cli::report
