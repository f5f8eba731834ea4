#include "core/runtime/device.h"

#include "core/base/error.h"
#include "core/base/nearest.h"

namespace contrastive::runtime {

Device parse_device(const std::string& text) {
  if (text == "cpu") return {};
  if (text == "cuda") return {true, 0};
  const std::string prefix = "cuda:";
  if (text.compare(0, prefix.size(), prefix) == 0) {
    const std::string number = text.substr(prefix.size());
    const bool digits = !number.empty() && number.size() <= 2 &&
                        number.find_first_not_of("0123456789") == std::string::npos;
    if (digits) return {true, std::stoi(number)};
  }
  fail(Status::kArgument, "device '", text, "': use cpu, cuda or cuda:N with N from 0 to 99");
}

Precision parse_precision(const std::string& text) {
  if (text == "float32") return Precision::kFloat32;
  if (text == "bfloat16") return Precision::kBFloat16;
  if (text == "int8") return Precision::kInt8;
  fail(Status::kArgument, unknown_name("precision", text, {"float32", "bfloat16", "int8"}));
}

std::string precision_name(Precision precision) {
  switch (precision) {
    case Precision::kFloat32: return "float32";
    case Precision::kBFloat16: return "bfloat16";
    case Precision::kInt8: return "int8";
  }
  return "";
}

}  // namespace contrastive::runtime
