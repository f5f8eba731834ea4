// Converts between the library's own tensors and LibTorch's. Both share the same memory; only
// tensors on a device, or that are not contiguous, are copied.
#pragma once

#include <ATen/core/Tensor.h>

#include <map>
#include <string>

#include "core/base/tensor.h"

namespace contrastive::tensors {

using TorchTensorMap = std::map<std::string, at::Tensor>;

// The result is on the CPU; undefined for an undefined tensor.
at::Tensor to_torch(const Tensor& tensor);
TorchTensorMap to_torch(const TensorMap& tensors);

// The result is float32, float64, float16, bfloat16 or int64; kUnsupported for elements of another
// type.
Tensor from_torch(const at::Tensor& tensor);
TensorMap from_torch(const TorchTensorMap& tensors);

}  // namespace contrastive::tensors
