// Points around the corners of a simplex: class c has mean e_c. The examples of the classes come in
// turn.
#pragma once

#include <cstdint>
#include <vector>

#include "core/base/rng.h"
#include "core/torch/tasks/transfer/probe.h"

namespace contrastive::eval {

class Blobs {
 public:
  Blobs(int64_t count, int64_t classes, double spread, uint64_t seed)
      : values_(static_cast<size_t>(count * classes)) {
    Rng rng(seed, Purpose::kSubset, 99);
    data_.width = data_.classes = classes;
    for (int64_t i = 0; i < count; ++i) {
      float* row = &values_[static_cast<size_t>(i * classes)];
      for (int64_t d = 0; d < classes; ++d)
        row[d] = static_cast<float>(spread * rng.normal() + (d == i % classes ? 1 : 0));
      data_.rows.push_back(row);
      data_.labels.push_back(i % classes);
    }
  }
  Blobs(const Blobs&) = delete;
  Blobs& operator=(const Blobs&) = delete;
  const ProbeData& data() const { return data_; }

 private:
  std::vector<float> values_;
  ProbeData data_;
};

}  // namespace contrastive::eval
