// The committed test vectors, and tensors from their lists.
#pragma once

#include <ATen/ops/tensor.h>

#include <string>
#include <vector>

#include "core/base/json.h"
#include "tests/fixtures_folder.h"

namespace contrastive {

inline Json test_vectors(const std::string& part) {
  return read_json_file(fixtures() + "/vectors.json").at(part);
}
inline at::Tensor vector_of(const Json& list) { return at::tensor(list.get<std::vector<float>>()); }
inline at::Tensor matrix_of(const Json& rows) {
  std::vector<float> values;
  for (const Json& row : rows) {
    for (const Json& value : row) values.push_back(value.get<float>());
  }
  return at::tensor(values).view({static_cast<int64_t>(rows.size()), -1});
}

}  // namespace contrastive
