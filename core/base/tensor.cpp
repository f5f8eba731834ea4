#include "core/base/tensor.h"

#include <algorithm>
#include <cstring>
#include <new>
#include <utility>

#include "core/base/checked.h"

namespace contrastive {
namespace {

constexpr std::align_val_t kAlignment{64};  // a cache line, and the widest vector

int64_t count(const std::vector<int64_t>& shape, ElementType type) {
  Size total(1, "elements of a tensor");
  bool empty = false;
  for (const int64_t extent : shape) {
    empty = empty || extent == 0;
    if (extent != 0) total = total * extent;
  }
  const Size bytes = total * element_bytes(type);
  return empty ? 0 : bytes.value() / element_bytes(type);
}

}  // namespace

int64_t element_bytes(ElementType type) {
  switch (type) {
    case ElementType::kFloat32: return 4;
    case ElementType::kFloat64:
    case ElementType::kInt64: return 8;
    case ElementType::kFloat16:
    case ElementType::kBFloat16: return 2;
  }
  return 0;
}

std::string shape_text(const std::vector<int64_t>& shape) {
  std::string text = "[";
  for (size_t i = 0; i < shape.size(); ++i) text += (i > 0 ? ", " : "") + std::to_string(shape[i]);
  return text + "]";
}

Tensor::Tensor(std::vector<int64_t> shape, ElementType type)
    : defined_(true), type_(type), shape_(std::move(shape)), elements_(count(shape_, type)) {
  data_ = ::operator new(static_cast<size_t>(std::max<int64_t>(bytes(), 1)), kAlignment);
  owner_ = std::shared_ptr<const void>(data_, [](const void* memory) {
    ::operator delete(const_cast<void*>(memory), kAlignment);
  });
}

Tensor::Tensor(std::vector<int64_t> shape, ElementType type, void* data,
               std::shared_ptr<const void> owner)
    : defined_(true), type_(type), shape_(std::move(shape)), elements_(count(shape_, type)),
      data_(data), owner_(std::move(owner)) {}

Tensor Tensor::filled(std::vector<int64_t> shape, float value) {
  Tensor tensor(std::move(shape));
  std::fill_n(tensor.mutable_floats(), tensor.elements(), value);
  return tensor;
}

Tensor Tensor::clone() const {
  if (!defined_) return {};
  Tensor copy(shape_, type_);
  std::memcpy(copy.mutable_data(), data_, static_cast<size_t>(bytes()));
  return copy;
}

bool Tensor::operator==(const Tensor& other) const {
  return defined_ == other.defined_ && type_ == other.type_ && shape_ == other.shape_ &&
         (elements_ == 0 || std::memcmp(data_, other.data_, static_cast<size_t>(bytes())) == 0);
}

}  // namespace contrastive
