// How many dimensions the vectors really use: 1 if all are on one line through the origin, d if
// they fill all directions equally.
#pragma once

#include <cstdint>

#include "core/base/cancel.h"

namespace contrastive::eval {

// exp of the entropy of the singular values divided by their sum (Roy and Vetterli, EUSIPCO 2007),
// for the rows scaled to length 1 and not centred. (RankMe, Garrido et al., ICML 2023, is the same
// without the scaling.) At most min(n, d). 0 if there are no rows or all are zero, NaN if a value
// is NaN or infinite. x: [n, d]. Computed in double, block by block, so memory grows only with
// min(n, d)^2. kArgument for an invalid shape, kLimit if min(n, d) is above 16384.
double effective_rank(const float* x, int64_t n, int64_t d, const Cancel* cancel = nullptr);

}  // namespace contrastive::eval
