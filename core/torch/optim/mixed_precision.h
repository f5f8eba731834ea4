// Mixed precision: the encoder's passes in 16 bits where that is safe, weights, gradients and
// objectives in float32; and the loss scale that keeps small gradients from vanishing in float16.
#pragma once

#include <c10/core/DeviceType.h>
#include <c10/core/ScalarType.h>

#include <cstdint>

#include "core/base/json.h"

namespace contrastive::optim {

enum class Amp { kOff, kBfloat16, kFloat16 };

// LibTorch's autocast for this thread, as long as the object lives: products in 16 bits,
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
// halved and the update made again; it doubles after kGrowthInterval updates without one.
class GradScaler {
 public:
  static constexpr double kFirstScale = 65536;
  static constexpr double kLargestScale = 16777216;  // 2^24
  static constexpr int64_t kGrowthInterval = 2000;

  explicit GradScaler(bool enabled) : scale_(enabled ? kFirstScale : 1), enabled_(enabled) {}

  bool enabled() const { return enabled_; }
  double scale() const { return scale_; }
  // After gradients that are not finite. False where the scale is not to blame: it is 1 already.
  bool shrink();
  void succeeded();                             // after an update
  int64_t retries() const { return retries_; }  // in all

  Json state() const;
  void restore(const Json& state);

 private:
  double scale_;
  bool enabled_;
  int64_t since_overflow_ = 0;
  int64_t retries_ = 0;
};

}  // namespace contrastive::optim
