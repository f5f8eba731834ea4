// How many dimensions vectors really use: 1 where all lie on one line through the origin, d where
// they fill every direction alike.
#pragma once

#include <cstdint>

#include "core/base/cancel.h"

namespace contrastive::eval {

// exp of the entropy of the singular values divided by their sum (Roy and Vetterli, EUSIPCO 2007),
// of the rows scaled to length 1 and not centred. (RankMe, Garrido et al., ICML 2023, is the same
// of the rows as they are.) At most min(n, d). 0 where all rows are zero or there are none, NaN
// where a value is NaN or infinite. x: [n, d]. In double; streams over blocks of rows, so that
// memory grows with min(n, d)^2 only. kArgument for a shape that is none, kLimit where min(n, d) is
// above 16384.
double effective_rank(const float* x, int64_t n, int64_t d, const Cancel* cancel = nullptr);

}  // namespace contrastive::eval
