#include "tests/host_cuda/host_tensors.h"

#include <ATen/EmptyTensor.h>
#include <ATen/core/TensorBase.h>
#include <c10/core/Storage.h>
#include <c10/core/TensorImpl.h>
#include <c10/util/Exception.h>

#include <cstring>

#include "tests/host_cuda/memory.h"

namespace contrastive::host_cuda {

namespace {

at::Tensor over(const c10::Storage& storage, c10::DispatchKey key, const at::Tensor& like) {
  at::Tensor tensor =
      at::detail::make_tensor<c10::TensorImpl>(c10::Storage(storage), c10::DispatchKeySet(key),
                                               like.dtype());
  tensor.unsafeGetTensorImpl()->set_sizes_and_strides(like.sizes(), like.strides(),
                                                      like.storage_offset());
  return tensor;
}

}  // namespace

at::Tensor empty_on_device(at::IntArrayRef sizes, at::IntArrayRef strides, at::ScalarType type) {
  return at::detail::empty_strided_generic(sizes, strides, c10::GetAllocator(c10::kCUDA),
                                           c10::DispatchKeySet(c10::DispatchKey::CUDA), type);
}

at::Tensor HostTensors::to_host(const at::Tensor& tensor) {
  if (!tensor.defined()) return tensor;
  if (tensor.is_cpu()) {
    TORCH_CHECK(tensor.dim() == 0, "Expected all tensors to be on the same device, but found at "
                                   "least two devices, cuda:0 and cpu!");
    return tensor;
  }
  for (const auto& [device, host] : pairs_) {
    if (device.is_same(tensor)) return host;
  }
  c10::Storage storage;
  for (const auto& [device, host] : pairs_) {
    if (device.storage().is_alias_of(tensor.storage())) storage = host.storage();
  }
  if (!storage) {
    const c10::Storage& own = tensor.storage();
    storage =
        c10::Storage(c10::Storage::use_byte_size_t(), own.nbytes(),
                     c10::DataPtr(on_host(own.data()), c10::Device(c10::kCPU)), &host_side(), true);
  }
  pairs_.emplace_back(tensor, over(storage, c10::DispatchKey::CPU, tensor));
  return pairs_.back().second;
}

at::Tensor HostTensors::to_device(const at::Tensor& result) const {
  if (!result.defined() || !result.is_cpu()) return result;
  for (const auto& [device, host] : pairs_) {
    if (host.is_same(result)) return device;
  }
  for (const auto& [device, host] : pairs_) {
    if (host.storage().is_alias_of(result.storage()))
      return over(device.storage(), c10::DispatchKey::CUDA, result);
  }
  const at::Tensor copy = empty_on_device(result.sizes(), result.strides(), result.scalar_type());
  const size_t begin = static_cast<size_t>(result.storage_offset()) * result.itemsize();
  if (result.numel() > 0)
    std::memcpy(on_host(copy.data_ptr()), static_cast<const char*>(result.storage().data()) + begin,
                copy.storage().nbytes());
  return copy;
}

void HostTensors::take_shapes() const {
  for (const auto& [device, host] : pairs_) {
    if (device.sizes() == host.sizes() && device.strides() == host.strides()) continue;
    if (host.storage().data() != on_host(device.storage().data())) {
      device.storage().set_data_ptr_noswap(adopt(host.storage()));
      device.storage().set_nbytes(host.storage().nbytes());
    }
    device.unsafeGetTensorImpl()->set_sizes_and_strides(host.sizes(), host.strides(),
                                                        host.storage_offset());
  }
}

}  // namespace contrastive::host_cuda
