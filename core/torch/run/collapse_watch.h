// Detects whether the vectors of a run collapse. Their distribution on the sphere shows that long
// before a dev set does. It counts zero vectors, which an activation can give: they have no
// direction, so their cosines are 0 and have no gradient.
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
  double uniformity = 0;      // Wang and Isola, 2020: low if the points are spread out
  double mean_cosine = 0;     // of different examples
  double effective_rank = 0;  // core/eval/geometry/effective_rank.h: how many dimensions are in use
  int64_t zero_vectors = 0;   // of all views and all examples
};

// The figures of the first 128 examples, and the zero vectors of all. Empty if the views have
// vectors of fewer than two examples.
std::optional<Geometry> measure(const methods::Views& views);

class CollapseWatch {
 public:
  // Measures the views of update `step`, and warns if they collapse.
  void look(const methods::Views& views, int64_t step, Records& records);
  // Warns once if the vectors are much closer to one point or line than at the first measurement,
  // and once about zero vectors.
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
