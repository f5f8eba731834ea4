// Principal components of rows, in double precision: what model2vec's PCA gives, signs included.
#pragma once

#include <cstdint>

#include "core/base/cancel.h"
#include "core/base/tensor.h"

namespace contrastive::model {

// rows [n, d] -> [n, components]: the rows without their mean, along the `components` directions in which they vary most. Of each direction that sign in
// which the row that is farthest out is positive. 1 <= components <= d, n >= 2. The same for any number of threads.
Tensor principal_components(const Tensor& rows, int64_t components, const Cancel* cancel = nullptr);

}  // namespace contrastive::model
