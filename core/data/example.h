// One training example, owned text. A single text leaves `b` empty and has_b false; a label is NaN where there is none.
#pragma once

#include <limits>
#include <string>

namespace contrastive::data {

struct Example {
  std::string a;
  std::string b;
  bool has_b = false;
  double label = std::numeric_limits<double>::quiet_NaN();
};

}  // namespace contrastive::data
