#include "core/runtime/precision.h"

#include "core/base/error.h"
#include "core/base/nearest.h"

namespace contrastive::runtime {

c10::ScalarType parse_precision(const std::string& text) {
  if (text == "float32") return c10::kFloat;
  if (text == "bfloat16") return c10::kBFloat16;
  fail(Status::kArgument, unknown_name("precision", text, {"float32", "bfloat16"}));
}

std::string precision_name(c10::ScalarType type) { return type == c10::kBFloat16 ? "bfloat16" : "float32"; }

}  // namespace contrastive::runtime
