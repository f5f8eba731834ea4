// The value of a figure that does not exist: the correlation of a constant list, the accuracy over
// no examples. It is never the best and never part of an average.
#pragma once

#include <limits>

namespace contrastive::eval {

constexpr double kUndefined = std::numeric_limits<double>::quiet_NaN();

}  // namespace contrastive::eval
