// A tensor from a fixture: rows of numbers, [rows, columns].
#pragma once

#include <ATen/ops/tensor.h>

#include <vector>

#include "core/base/json.h"

namespace contrastive::objectives {

inline at::Tensor matrix(const Json& rows, at::ScalarType type = at::kDouble) {
  std::vector<double> values;
  for (const Json& row : rows) {
    for (const Json& x : row) values.push_back(x);
  }
  return at::tensor(values, at::kDouble).reshape({static_cast<int64_t>(rows.size()), -1}).to(type);
}

}  // namespace contrastive::objectives
