// The device and the precision that a model computes with, as names. core/torch/tensors/cuda.h uses
// CUDA devices.
#pragma once

#include <string>
#include <vector>

namespace contrastive::runtime {

struct Device {
  bool cuda = false;
  int index = 0;  // the number of the CUDA device

  bool is_cpu() const { return !cuda; }
  std::string str() const { return cuda ? "cuda:" + std::to_string(index) : "cpu"; }
  bool operator==(const Device& other) const { return cuda == other.cuda && index == other.index; }
};

// Parses "cpu", "cuda" (device 0) or "cuda:N". Throws kArgument for anything else and lists what is
// allowed.
Device parse_device(const std::string& text);

enum class Precision { kFloat32, kBFloat16, kInt8 };

// Parses "float32", "bfloat16" or "int8". Throws kArgument for anything else.
Precision parse_precision(const std::string& text);
std::string precision_name(Precision precision);

}  // namespace contrastive::runtime
