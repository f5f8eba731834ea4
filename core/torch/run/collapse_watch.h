// Watches whether the vectors of a run collapse: how those of a batch lie on the sphere shows it
// long before a dev set does. Vectors of zeros, which an activation may leave, are counted: they
// have no direction, so their cosines are 0 and have no gradient.
#pragma once

#include <cstdint>
#include <optional>

#include "core/torch/methods/method.h"
#include "core/torch/run/records.h"
#include "core/torch/run/training_state.h"

namespace contrastive::run {

struct Geometry {
  double alignment = 0;       // mean squared distance of the two views of an example, of a view of
                              // several layers the last one's; NaN without two
  double uniformity = 0;      // Wang and Isola, 2020: low when the points spread out
  double mean_cosine = 0;     // of different examples
  double effective_rank = 0;  // core/eval/geometry/effective_rank.h: how many dimensions are in use
  int64_t zero_vectors = 0;   // of all views and all examples
};

// Of the first 128 examples, zero vectors of all; nothing where the views hold no vectors of at
// least two.
std::optional<Geometry> measure(const methods::Views& views);

class CollapseWatch {
 public:
  // Measures the views of update `step`, and looks at them.
  void look(const methods::Views& views, int64_t step, Records& records);
  // Warns once when the vectors have come much closer to one point, or to one line, than they were
  // at the first look; and once of zero vectors.
  void look(const Geometry& geometry, int64_t step);
  bool collapsed() const { return collapsed_; }

  void save(TrainingState& state) const;
  void restore(const TrainingState& state);

 private:
  std::optional<Geometry> first_;
  bool collapsed_ = false;
  bool warned_of_zeros_ = false;
};

}  // namespace contrastive::run
