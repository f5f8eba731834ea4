// How alike each of some texts is to each other, as a square of cells with the texts beside it.
#pragma once

#include <string>
#include <vector>

#include "capi/program/report/plot.h"

namespace contrastive::cli::report {

struct HeatMap {
  std::string name;  // of the run, for screen readers
  std::vector<std::string> texts;
  std::vector<float> cosines;  // [texts, texts]
};

// As high as it needs for its width. `legend` below the cells: what the colours mean.
std::string draw(const HeatMap& map, double width);

}  // namespace contrastive::cli::report
