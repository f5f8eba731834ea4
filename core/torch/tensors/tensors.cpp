#include "core/torch/tensors/tensors.h"

#include <ATen/ops/from_blob.h>
#include <c10/core/ScalarType.h>

#include <memory>
#include <utility>
#include <vector>

#include "core/base/error.h"

namespace contrastive::tensors {
namespace {

constexpr std::pair<ElementType, c10::ScalarType> kTypes[] = {{ElementType::kFloat32, at::kFloat},
                                                              {ElementType::kFloat64, at::kDouble},
                                                              {ElementType::kFloat16, at::kHalf},
                                                              {ElementType::kBFloat16,
                                                               at::kBFloat16},
                                                              {ElementType::kInt64, at::kLong}};

c10::ScalarType to_torch(ElementType type) {
  for (const auto& [ours, theirs] : kTypes) {
    if (ours == type) return theirs;
  }
  fail(Status::kInternal, "an element type that LibTorch lacks");
}

ElementType from_torch(c10::ScalarType type) {
  for (const auto& [ours, theirs] : kTypes) {
    if (theirs == type) return ours;
  }
  fail(Status::kUnsupported, "tensors with elements of type ", c10::toString(type),
       " are not written or read");
}

}  // namespace

at::Tensor to_torch(const Tensor& tensor) {
  if (!tensor.defined()) return {};
  auto owner = std::make_unique<std::shared_ptr<const void>>(tensor.owner());
  const auto let_go = [](void* given) { delete static_cast<std::shared_ptr<const void>*>(given); };
  // Not from_blob() with a deleter: for that, LibTorch allocates where nothing may throw.
  at::TensorMaker maker = at::for_blob(const_cast<void*>(tensor.data()), tensor.shape());
  return maker.context(owner.release(), let_go)
      .options(at::TensorOptions().dtype(to_torch(tensor.type())))
      .make_tensor();
}

TorchTensorMap to_torch(const TensorMap& tensors) {
  TorchTensorMap map;
  for (const auto& [name, tensor] : tensors) map.emplace(name, to_torch(tensor));
  return map;
}

Tensor from_torch(const at::Tensor& tensor) {
  if (!tensor.defined()) return {};
  const auto held = std::make_shared<const at::Tensor>(tensor.detach().to(at::kCPU).contiguous());
  return Tensor(held->sizes().vec(), from_torch(held->scalar_type()), held->data_ptr(), held);
}

TensorMap from_torch(const TorchTensorMap& tensors) {
  TensorMap map;
  for (const auto& [name, tensor] : tensors) map.emplace(name, from_torch(tensor));
  return map;
}

}  // namespace contrastive::tensors
