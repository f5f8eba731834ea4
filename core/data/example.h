// One training example, owned text. A single text leaves `b` empty and has_b false; a label is NaN
// where there is none. `negatives` are texts that must not be close to `a`: hard negatives beside
// those of the batch.
#pragma once

#include <limits>
#include <string>
#include <vector>

namespace contrastive::data {

struct Example {
  std::string a;
  std::string b;
  bool has_b = false;
  double label = std::numeric_limits<double>::quiet_NaN();
  std::vector<std::string> negatives = {};
  std::vector<double> scores =
      {};  // a teacher's, of text b and then of each negative; empty where there are none
};

}  // namespace contrastive::data
