// Principal component analysis (PCA) of rows, in double precision.
#pragma once

#include <cstdint>

#include "core/base/cancel.h"
#include "core/base/tensor.h"

namespace contrastive::model {

// Projects rows [n, d] to [n, components]: subtracts the mean and projects onto the `components`
// directions of largest variance. The sign of each direction is chosen so that the row with the
// largest magnitude is positive, as in model2vec's PCA. 1 <= components <= d, n >= 2. The result is
// the same for any number of threads.
Tensor principal_components(const Tensor& rows, int64_t components, const Cancel* cancel = nullptr);

// The directions themselves, [components, d], each of length 1 and with its largest entry positive.
// A linear layer with these weights reduces the dimension of vectors and keeps as much of their
// variance as possible.
Tensor principal_axes(const Tensor& rows, int64_t components, const Cancel* cancel = nullptr);

}  // namespace contrastive::model
