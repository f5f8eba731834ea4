// The steps after pooling: dense modules, normalisation and truncation of the pooled vectors of one
// batch.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "core/io/model_folder.h"
#include "core/model/encode_plan.h"

namespace contrastive::model {

// Applies y = activation(x W^T + b) for each module in turn. Replaces `rows` [n, width] by the
// result and returns its width. Throws kUnsupported for an unknown activation.
int64_t apply_dense(const std::vector<io::DenseModule>& modules, std::vector<float>& rows,
                    int64_t n, int64_t width);

// Applies an activation, given by name, to every value. Throws kUnsupported if it is unknown.
void activate(const std::string& activation, std::vector<float>& values);

// Scales `row` to length 1. A zero row stays 0.
void normalize_row(float* row, int64_t width);

// Normalises and truncates a row according to the plan and writes it to `out` [plan.dimension].
void finish_row(const EncodePlan& plan, float* row, int64_t width, float* out);

}  // namespace contrastive::model
