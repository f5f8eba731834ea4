// A tensor in host memory: numbers with a shape and a type. Checkpoints and inference on the CPU
// use it. It depends on no tensor library and computes nothing.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <vector>

namespace contrastive {

enum class ElementType { kFloat32, kFloat64, kFloat16, kBFloat16, kInt64 };

int64_t element_bytes(ElementType type);
std::string shape_text(const std::vector<int64_t>& shape);  // "[30522, 384]"

// Row-major and contiguous. A copy shares the numbers; clone() copies them. Any thread may read.
class Tensor {
 public:
  Tensor() = default;  // undefined: not even an empty tensor
  // Allocates uninitialised memory that is aligned to 64 bytes. Throws std::bad_alloc, or kLimit
  // for a shape above 2^63 bytes.
  explicit Tensor(std::vector<int64_t> shape, ElementType type = ElementType::kFloat32);
  // Uses memory of another owner, which is valid as long as a copy of `owner` exists.
  Tensor(std::vector<int64_t> shape, ElementType type, void* data,
         std::shared_ptr<const void> owner);
  static Tensor filled(std::vector<int64_t> shape, float value);

  bool defined() const { return defined_; }
  ElementType type() const { return type_; }
  const std::vector<int64_t>& shape() const { return shape_; }
  int64_t dimensions() const { return static_cast<int64_t>(shape_.size()); }
  int64_t size(size_t dimension) const { return shape_.at(dimension); }
  int64_t elements() const { return elements_; }
  int64_t bytes() const { return elements_ * element_bytes(type_); }

  const void* data() const { return data_; }
  void* mutable_data() { return data_; }
  // Only for float32.
  const float* floats() const { return static_cast<const float*>(data_); }
  float* mutable_floats() { return static_cast<float*>(data_); }

  Tensor clone() const;
  bool operator==(const Tensor& other) const;  // type, shape and every bit of the numbers
  // Keeps the memory alive.
  const std::shared_ptr<const void>& owner() const { return owner_; }

 private:
  bool defined_ = false;
  ElementType type_ = ElementType::kFloat32;
  std::vector<int64_t> shape_;
  int64_t elements_ = 0;
  void* data_ = nullptr;
  std::shared_ptr<const void> owner_;
};

using TensorMap = std::map<std::string, Tensor>;

}  // namespace contrastive
