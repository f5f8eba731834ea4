// A training example, which owns its texts. A single text has an empty `b` and has_b false. A label
// is NaN if it is not given. `negatives` are hard negatives: texts that must not be close to `a`,
// in addition to those in the batch.
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
      {};  // a teacher's scores of text b and then of each negative; empty without a teacher

  // Calls `field` with each field, in the order in which they are hashed. Append new ones.
  template <class Field>
  void visit(Field&& field) const {
    field(a), field(has_b), field(b), field(label), field(negatives), field(scores);
  }
  // What is known of the example besides its texts. The number of negatives stays.
  Example without_texts() const {
    return {"", "", has_b, label, std::vector<std::string>(negatives.size()), scores};
  }
};

}  // namespace contrastive::data
