// Numbers in memory with a shape: what a checkpoint holds and what the CPU's inference reads, in no
// library's own type. Nothing is computed here.
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

// Row-major and without gaps. A copy shares its numbers with the original; clone() has its own.
// Reading is safe from any thread.
class Tensor {
 public:
  Tensor() = default;  // undefined: no numbers, not even none
  // Memory of its own, at an address that is a multiple of 64, with whatever it holds.
  // std::bad_alloc; kLimit for a shape above 2^63 bytes.
  explicit Tensor(std::vector<int64_t> shape, ElementType type = ElementType::kFloat32);
  // Somebody else's memory, which lives as long as `owner` has a copy.
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
  // Of float32.
  const float* floats() const { return static_cast<const float*>(data_); }
  float* mutable_floats() { return static_cast<float*>(data_); }

  Tensor clone() const;
  bool operator==(const Tensor& other) const;  // type, shape and every bit of the numbers
  // What keeps the memory.
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
