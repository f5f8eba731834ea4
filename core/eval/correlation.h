// Pearson and Spearman correlation of two lists of numbers, in double.
#pragma once

#include <vector>

namespace contrastive::eval {

// Pearson's r from centred products. NaN if it is undefined: fewer than two values, a constant
// list, or a value that is not finite.
double pearson(const std::vector<double>& x, const std::vector<double>& y);

// Spearman's rho: Pearson's r of the average ranks. NaN as above. Values are ties only if they are
// exactly equal.
double spearman(const std::vector<double>& x, const std::vector<double>& y);

// 1-based ranks in ascending order; equal values share the mean of their ranks. The values must not
// be NaN.
std::vector<double> average_ranks(const std::vector<double>& values);

}  // namespace contrastive::eval
