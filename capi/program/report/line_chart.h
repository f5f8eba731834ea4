// Curves over the updates of one or more runs.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "capi/program/report/plot.h"

namespace contrastive::cli::report {

struct Curve {
  size_t run = 0;                 // its number; of a mean, the first one's
  size_t colour = 0;              // of colour_class()
  std::string letter;             // names the run in small charts
  std::string name;               // and in wide ones
  std::vector<std::string> runs;  // the letters of those whose mean this is; empty for a single one
  Series series;
  std::vector<double> breaks = {};  // where a stage begins: no mean goes over it
  double best_at = 0, best = 0;     // where `marked_best`
  bool marked_best = false;
};

struct LineChart {
  std::string what;  // "training loss"
  std::string y;     // name and unit of the y axis
  std::vector<Curve> curves;
  std::vector<std::pair<double, std::string>> rules;  // where a stage begins
  bool noisy = false;    // a moving mean over the range that the numbers move in
  bool points = false;   // few measurements, each marked
  bool crowded = false;  // so many curves that their names would cover each other: a curve says its
                         // name when it is pointed at
};

// How many neighbours the moving mean of a noisy curve takes in.
size_t smoothing_window(size_t points);

// Whether any curve has a number to show.
bool has_numbers(const LineChart& chart);

// `wide`: with the names of the runs beside their lines, else their letters.
std::string draw(const LineChart& chart, Size size, bool wide);

}  // namespace contrastive::cli::report
