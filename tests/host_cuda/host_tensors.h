// Device tensors as an operation of the CPU sees them.
#pragma once

#include <ATen/core/Tensor.h>

#include <utility>
#include <vector>

namespace contrastive::host_cuda {

// A new tensor on the device, of whatever its memory held before.
at::Tensor empty_on_device(at::IntArrayRef sizes, at::IntArrayRef strides, at::ScalarType type);

// The tensors of one call: each device tensor has one tensor of the host over the same bytes, and
// results find their way back.
class HostTensors {
 public:
  // The host's tensor for one of the device. A tensor of the CPU is an error unless it is a number
  // (no dimensions): as on a device.
  at::Tensor to_host(const at::Tensor& tensor);
  // The tensor of the device for a result: an argument, a view of an argument's storage, or a copy.
  at::Tensor to_device(const at::Tensor& result) const;
  // What an operation did to the shape of its arguments.
  void take_shapes() const;

 private:
  std::vector<std::pair<at::Tensor, at::Tensor>> pairs_;  // device, host
};

}  // namespace contrastive::host_cuda
