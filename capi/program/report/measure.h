// What a run's model makes of texts: its scores, how its embeddings lie, and the cosines that the
// figures show. All of it through contrastive.h.
#pragma once

#include <string>
#include <vector>

#include "capi/program/report/point_charts.h"
#include "capi/program/verb.h"

namespace contrastive::cli::report {

struct Pairs {
  std::vector<std::string> first, second;
  std::vector<double> gold;
  int64_t in_file = 0, every = 1;  // of so many pairs these are every n-th
  double lowest = 0, highest = 0;  // score of all of them
  int64_t extreme = 0;             // so many pairs at least have the lowest score, and the highest
};

// What every run is measured on.
struct Material {
  std::string eval_data;  // "" for none
  size_t most_pairs = 0, most_texts = 0;
  Pairs pairs;  // a sample of it, of most_pairs at most; the first run that is measured brings it
  std::vector<std::string> texts;  // of the heat map; the first run that is measured brings
                                   // most_texts of its pairs where there are none
};

struct Measurement {
  Json sts, geometry;           // reports of the tasks; null where they were not asked for
  std::vector<double> cosines;  // of Material::pairs
  std::vector<float> texts;     // [texts, texts]: cosines of Material::texts
  std::vector<MapPair> map;
  std::string no_geometry, no_map;  // the library's reason
};

// `arguments`: device and precision; its model is `path`.
Measurement measure(const std::string& path, ModelArguments arguments, Material& material);

}  // namespace contrastive::cli::report
