// Correlation of two lists of numbers, in double. Which texts and scores they come from is the
// business of sts.h.
#pragma once

#include <vector>

namespace contrastive::eval {

// Pearson's r from centred products. NaN when it is undefined: fewer than two values, a constant
// list, or a value that is not finite.
double pearson(const std::vector<double>& x, const std::vector<double>& y);

// Spearman's rho: Pearson's r of the average ranks. NaN as above. Ties are decided by exact
// equality.
double spearman(const std::vector<double>& x, const std::vector<double>& y);

// 1-based ranks in ascending order; equal values share the mean of their ranks. The values must not
// be NaN.
std::vector<double> average_ranks(const std::vector<double>& values);

}  // namespace contrastive::eval
