// Mixed precision: the encoder computes in 16 bits if that is safe; weights, gradients and
// objectives are float32. A loss scale keeps small gradients from vanishing in float16.
#pragma once

#include <c10/core/DeviceType.h>
#include <c10/core/ScalarType.h>

#include <cstdint>

#include "core/base/json.h"

namespace contrastive::optim {

enum class Amp { kOff, kBfloat16, kFloat16 };

// Switches on LibTorch's autocast for this thread during its lifetime: products in 16 bits,
// normalisation and softmax in float32.
class Autocast {
 public:
  Autocast(Amp amp, c10::DeviceType device);
  ~Autocast();
  Autocast(const Autocast&) = delete;
  Autocast& operator=(const Autocast&) = delete;

 private:
  bool active_;
  c10::DeviceType device_;
  bool enabled_before_ = false;
  c10::ScalarType type_before_ = c10::ScalarType::Undefined;
};

// The loss is multiplied by scale() before it is differentiated. After an overflow the scale is
// halved and the update repeated. It doubles after kGrowthInterval updates without an overflow.
class GradScaler {
 public:
  static constexpr double kFirstScale = 65536;
  static constexpr double kLargestScale = 16777216;  // 2^24
  static constexpr int64_t kGrowthInterval = 2000;

  explicit GradScaler(bool enabled) : scale_(enabled ? kFirstScale : 1), enabled_(enabled) {}

  bool enabled() const { return enabled_; }
  double scale() const { return scale_; }
  // Call after gradients that are not finite. Returns false if the scale is not the cause: it is 1
  // already.
  bool shrink();
  void succeeded();                             // call after an update
  int64_t retries() const { return retries_; }  // total number

  Json state() const;
  void restore(const Json& state);

 private:
  double scale_;
  bool enabled_;
  int64_t since_overflow_ = 0;
  int64_t retries_ = 0;
};

}  // namespace contrastive::optim
