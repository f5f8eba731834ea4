// The number format a model computes in.
#pragma once

#include <c10/core/ScalarType.h>

#include <string>

namespace contrastive::runtime {

// "float32" or "bfloat16"; kArgument for anything else.
c10::ScalarType parse_precision(const std::string& text);
std::string precision_name(c10::ScalarType type);

}  // namespace contrastive::runtime
