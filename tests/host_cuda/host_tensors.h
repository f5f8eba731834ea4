// Host tensors over the memory of device tensors, for operations of the CPU.
#pragma once

#include <ATen/core/Tensor.h>

#include <utility>
#include <vector>

namespace contrastive::host_cuda {

// A new uninitialised tensor on the device.
at::Tensor empty_on_device(at::IntArrayRef sizes, at::IntArrayRef strides, at::ScalarType type);

// Maps the tensors of one call: each device tensor to one host tensor over the same bytes, and
// results back.
class HostTensors {
 public:
  // The host tensor of a device tensor. As on a real device, a CPU tensor is an error unless it is
  // a scalar (no dimensions).
  at::Tensor to_host(const at::Tensor& tensor);
  // The device tensor of a result: an argument, a view of an argument's storage, or a copy.
  at::Tensor to_device(const at::Tensor& result) const;
  // Copies changes of shape from the host tensors to the device tensors.
  void take_shapes() const;

 private:
  std::vector<std::pair<at::Tensor, at::Tensor>> pairs_;  // device, host
};

}  // namespace contrastive::host_cuda
