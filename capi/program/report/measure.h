// Measures the model of a run through contrastive.h: scores, the geometry of its embeddings, and
// the cosines that the figures show.
#pragma once

#include <string>
#include <vector>

#include "capi/program/report/charts.h"
#include "capi/program/verb.h"

namespace contrastive::cli::report {

struct Pairs {
  std::vector<std::string> first, second;
  std::vector<double> gold;
  int64_t in_file = 0, every = 1;  // pairs in the data, of which these are every n-th
  double lowest = 0, highest = 0;  // score of all of them
  int64_t extreme =
      0;  // the number of pairs with the lowest or with the highest score, the smaller one
};

// What every run is measured on.
struct Material {
  std::string eval_data;  // "" for none
  size_t most_pairs = 0, most_texts = 0;
  Pairs pairs;  // at most most_pairs of it; the first run that is measured fills it
  std::vector<std::string> texts;  // of the heat map; if empty, the first run that is
                                   // measured fills it with most_texts texts of its pairs
};

struct Measurement {
  Json sts, geometry;           // reports of the tasks; null if not requested
  std::vector<double> cosines;  // of Material::pairs
  std::vector<float> texts;     // [texts, texts]: cosines of Material::texts
  std::vector<MapPair> map;
  std::string no_geometry, no_map;  // the library's reason
};

// `arguments` gives the device and precision, `path` the model.
Measurement measure(const std::string& path, ModelArguments arguments, Material& material);

}  // namespace contrastive::cli::report
