// Principal components of rows, in double precision.
#pragma once

#include <cstdint>

#include "core/base/cancel.h"
#include "core/base/tensor.h"

namespace contrastive::model {

// rows [n, d] -> [n, components]: the rows without their mean, along the `components` directions in
// which they vary most. Of each direction that sign in which the row that is farthest out is
// positive: what model2vec's PCA gives. 1 <= components <= d, n >= 2. The same for any number of
// threads.
Tensor principal_components(const Tensor& rows, int64_t components, const Cancel* cancel = nullptr);

// The directions themselves, [components, d], each of length 1 and with the sign in which its
// largest entry is positive. A linear layer with these weights takes vectors to fewer dimensions
// and keeps as much of their differences as can be kept.
Tensor principal_axes(const Tensor& rows, int64_t components, const Cancel* cancel = nullptr);

}  // namespace contrastive::model
