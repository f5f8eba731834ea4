// The figures of a report as data for page.html: curves over the updates, the alignment-uniformity
// plane, human scores and cosines, a map of pairs, and a heat map of cosines. README.md describes
// the JSON.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "capi/program/report/series.h"
#include "capi/program/terminal.h"

namespace contrastive::cli::report {

struct Curve {
  size_t run = 0;  // its number; of a mean, the number of the first run
  size_t colour = 0;
  std::string letter;             // names the run in the chart
  std::string name;               // and in tooltips
  std::vector<std::string> runs;  // the letters of those whose mean this is; empty for a single one
  Series series;
  std::vector<double> breaks = {};  // where a stage begins: no moving mean crosses it
  double best_at = 0, best = 0;     // where `marked_best`
  bool marked_best = false;
};

struct LineChart {
  std::string what;  // "training loss"
  std::string y;     // name and unit of the y axis
  std::vector<Curve> curves;
  std::vector<std::pair<double, std::string>> rules;  // where a stage begins
  bool noisy = false;    // show a moving mean, with the single values faint behind it
  bool points = false;   // few measurements, each marked
  bool crowded = false;  // so many curves that only tooltips name them
};

// How many neighbours the moving mean of a noisy curve includes.
size_t smoothing_window(size_t points);
// Whether any curve has a number to show.
bool has_numbers(const LineChart& chart);
std::string description(const LineChart& chart);
Json data_of(const LineChart& chart);

struct PlanePoint {
  size_t colour = 0;
  std::string label;
  double uniformity = 0, alignment = 0;
};
// A course through the plane, which ends in its point.
struct PlanePath {
  PlanePoint last;
  Series course;  // alignment over uniformity, in the order of the updates
};
std::string description(const std::vector<PlanePath>& paths);
Json data_of(const std::vector<PlanePath>& paths);

struct ScoredPairs {
  std::vector<double> gold, cosine;
};
struct ScorePlot {
  std::string name;  // of the run, for screen readers
  size_t colour = 0;
  ScoredPairs pairs;
  double lowest_cosine = 0;  // of all the plots that are compared
};
std::string description(const ScorePlot& plot);
Json data_of(const ScorePlot& plot);

// The two texts of a pair, as t-SNE placed them.
struct MapPair {
  double x[2], y[2];
  double gold = 0;
};
struct PairMap {
  std::string name;  // of the run, for screen readers
  std::vector<MapPair> pairs;
  double middle = 0;  // pairs scored above it have similar texts
};
std::string description(const PairMap& map);
Json data_of(const PairMap& map);

struct HeatMap {
  std::string name;  // of the run, for screen readers
  std::vector<std::string> texts;
  std::vector<float> cosines;  // [texts, texts]
};
std::string description(const HeatMap& map);
Json data_of(const HeatMap& map);

}  // namespace contrastive::cli::report
