// Where a model computes, and in which numbers: names alone. What stands behind cuda is
// core/torch/tensors/cuda.h.
#pragma once

#include <string>
#include <vector>

namespace contrastive::runtime {

struct Device {
  bool cuda = false;
  int index = 0;  // of the CUDA device

  bool is_cpu() const { return !cuda; }
  std::string str() const { return cuda ? "cuda:" + std::to_string(index) : "cpu"; }
  bool operator==(const Device& other) const { return cuda == other.cuda && index == other.index; }
};

// "cpu", "cuda" (device 0) or "cuda:N". kArgument for anything else, with what is allowed.
Device parse_device(const std::string& text);

enum class Precision { kFloat32, kBFloat16, kInt8 };

// "float32", "bfloat16" or "int8"; kArgument for anything else.
Precision parse_precision(const std::string& text);
std::string precision_name(Precision precision);

}  // namespace contrastive::runtime
