// The table of an experiment: mean and standard deviation over seeds of every figure, from the
// results that are there.
#pragma once

#include <string>
#include <vector>

#include "capi/program/experiment/run_folder.h"

namespace contrastive::cli {

// A figure of a cell over its seeds. NaN and absent figures are counted, and part of no mean.
struct Figure {
  std::vector<double>
      values;     // one a finished run, in the order of the seeds; NaN where it has none
  int64_t n = 0;  // finite ones
  double mean = 0,
         deviation = 0;  // NaN with none; the deviation is that of a sample (n - 1), NaN below two

  void settle();
};

struct TableCell {
  const Cell* cell = nullptr;
  int64_t runs = 0, finished = 0, failed = 0;
  std::vector<Figure> figures;        // of each column
  std::vector<std::string> failures;  // "seed 2: NUMERIC: ..."
};

struct Table {
  std::vector<std::string> columns;
  std::vector<TableCell> cells;
  // Of each column: the cells with the best mean, among those that have the figure of every run;
  // empty where these are fewer than two.
  std::vector<std::vector<size_t>> best;
};

// Every value at `path` of a report, with what the last "*" of the path stood for. Any place in an
// empty list of an outline finds is_of_open_list().
std::vector<std::pair<std::string, const Json*>> find_figures(const Json& report,
                                                              const std::string& path);
bool is_of_open_list(const Json* value);

// The figures of one report, as `evaluation` names them: columns and values, NaN for null. A "*" in
// a path stands for every key at that place, and in the column's name for that key (of the last
// "*"). kExitUsage naming the path where the report has none of it, or several for one column.
std::vector<std::pair<std::string, double>> figures_of(const EvaluationSpec& evaluation,
                                                       const Json& report);

// `results` of every run of the plan. A figure that a report lacks is NaN.
Table make_table(const ExperimentFile& file, const Plan& plan, const std::vector<Result>& results);

std::string markdown_of(const ExperimentFile& file, const Table& table);
std::string csv_of(const ExperimentFile& file, const Table& table);
Json json_of(const ExperimentFile& file, const Table& table);
// Means of the columns of file.matrix (or the last column) with the first key of the grid downwards
// and the second across, or rows downwards and the one key across, as CSV; "" for other shapes.
std::string matrix_csv_of(const ExperimentFile& file, const Table& table);

}  // namespace contrastive::cli
