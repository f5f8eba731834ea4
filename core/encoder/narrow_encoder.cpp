#include "core/encoder/narrow_encoder.h"

#include <algorithm>
#include <cstdint>

#include "core/base/error.h"

namespace contrastive::encoder {

NarrowEncoder::NarrowEncoder(const Architecture& architecture, const TensorMap& weights,
                             cpu::Narrow format)
    : CpuEncoder(architecture),
      weights_(std::make_shared<const NarrowWeights>(architecture,
                                                     take_floats(architecture, weights), format)) {
  constexpr int64_t kWidest = INT32_MAX / (255 * 127);  // so that a sum of products fits in 32 bits
  check(format != cpu::Narrow::kInt8 ||
            std::max(architecture.hidden_size, architecture.intermediate_size) <= kWidest,
        Status::kLimit, "precision = int8 is for widths up to ", kWidest, ", and the model's are ",
        architecture.hidden_size, " and ", architecture.intermediate_size,
        ": load it with precision = float32");
}

runtime::Precision NarrowEncoder::precision() const {
  switch (weights_->format()) {
    case cpu::Narrow::kInt8: return runtime::Precision::kInt8;
    case cpu::Narrow::kBfloat16: return runtime::Precision::kBFloat16;
  }
  fail(Status::kInternal, "a narrow format that is not a precision");
}

std::vector<std::pair<std::string, Tensor>> NarrowEncoder::named_parameters() const {
  check(weights_->format() != cpu::Narrow::kInt8, Status::kState,
        "the model was loaded with precision = int8, which keeps no float weights and ",
        "serves inference alone: load it with precision = float32 for this");
  return encoder::named_parameters(architecture(), weights_->floats(architecture()));
}

int64_t NarrowEncoder::weight_bytes() const {
  int64_t sum = 0;
  weights_->visit_bytes([&](std::string_view bytes) { sum += static_cast<int64_t>(bytes.size()); });
  return sum;
}

void NarrowEncoder::visit_bytes(
    const std::function<void(const std::string& name, std::string_view bytes)>& f) const {
  // In bfloat16 the numbers are the same in every build.
  if (weights_->format() == cpu::Narrow::kBfloat16) return Encoder::visit_bytes(f);
  weights_->visit_bytes([&](std::string_view bytes) { f("narrow", bytes); });
}

}  // namespace contrastive::encoder
