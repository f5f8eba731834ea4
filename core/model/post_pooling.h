// What follows pooling: dense modules, normalisation, truncation. Works on the pooled vectors of
// one batch.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "core/io/model_folder.h"
#include "core/model/encode_plan.h"

namespace contrastive::model {

// y = activation(x W^T + b) for each module in turn; `rows` [n, width] is replaced by what comes
// out. Gives its width. kUnsupported for an unknown activation.
int64_t apply_dense(const std::vector<io::DenseModule>& modules, std::vector<float>& rows,
                    int64_t n, int64_t width);

// One activation by its name, on every value. kUnsupported for an unknown one.
void activate(const std::string& activation, std::vector<float>& values);

// Scales `row` to length 1; a zero row stays 0.
void normalize_row(float* row, int64_t width);

// One finished row: normalised and cut as the plan says, written to `out` [plan.dimension].
void finish_row(const EncodePlan& plan, float* row, int64_t width, float* out);

}  // namespace contrastive::model
