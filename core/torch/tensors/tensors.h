// Between the library's own tensors and LibTorch's. Both forms share their numbers: nothing is
// copied but what LibTorch holds on a device or with gaps.
#pragma once

#include <ATen/core/Tensor.h>

#include <map>
#include <string>

#include "core/base/tensor.h"

namespace contrastive::tensors {

using TorchTensorMap = std::map<std::string, at::Tensor>;

// On the CPU; undefined for an undefined one.
at::Tensor to_torch(const Tensor& tensor);
TorchTensorMap to_torch(const TensorMap& tensors);

// Of float32, float64, float16, bfloat16 or int64; kUnsupported for elements of another type.
Tensor from_torch(const at::Tensor& tensor);
TensorMap from_torch(const TorchTensorMap& tensors);

}  // namespace contrastive::tensors
