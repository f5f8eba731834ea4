// Charts of points: the alignment-uniformity plane, human scores against cosines, and a map of
// embeddings in two dimensions.
#pragma once

#include <string>
#include <vector>

#include "capi/program/report/plot.h"

namespace contrastive::cli::report {

struct PlanePoint {
  size_t colour = 0;
  std::string label;
  double uniformity = 0, alignment = 0;
};
// A course through the plane ends in its point.
struct PlanePath {
  PlanePoint last;
  Series course;  // alignment over uniformity, in the order of the updates
};
std::string draw_plane(const std::vector<PlanePath>& paths, Size size);

struct ScoredPairs {
  std::vector<double> gold, cosine;
};
struct ScorePlot {
  std::string name;  // of the run, for screen readers
  size_t colour = 0;
  ScoredPairs pairs;
  double lowest_cosine = 0;  // of all the plots that are looked at side by side
};
std::string draw_scores(const ScorePlot& plot, Size size);

// The two texts of a pair, as t-SNE placed them.
struct MapPair {
  double x[2], y[2];
  double gold = 0;
};
struct PairMap {
  std::string name;  // of the run, for screen readers
  std::vector<MapPair> pairs;
  double middle = 0;  // pairs scored above it are alike
};
std::string draw_map(const PairMap& map, Size size);

}  // namespace contrastive::cli::report
