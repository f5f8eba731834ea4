// The kernels of an optimizer's update: Adam's step and checks of gradients, each in one pass over
// memory. The caller splits the numbers into ranges.
#pragma once

#include <cstdint>

namespace contrastive::cpu {

// One step of Adam in any of its forms, on `count` numbers:
//   g = gradient * gradient_scale + l2 p
//   m = beta1 m + (1 - beta1) g
//   v = beta2 v + (1 - beta2) g^2
//   p = (p before - rate m / (sqrt(v) root_scale + eps)) after
struct AdamTask {
  int64_t count = 0;
  float* parameter = nullptr;
  const float* gradient = nullptr;
  float* mean = nullptr;
  float* square = nullptr;
  float fresh1 = 1, fresh2 = 1;  // 1 - beta; computed in float32 it would use a rounded beta
  float gradient_scale = 1, l2 = 0, beta1 = 0, beta2 = 0, rate = 0, root_scale = 1, eps = 0,
        before = 1, after = 1;
};

struct UpdateKernels {
  const char* name;  // of the instruction set
  void (*adam)(const AdamTask&);
  bool (*is_zero)(const float* x, int64_t count);
  float (*sum_of_squares)(const float* x, int64_t count);
};

}  // namespace contrastive::cpu
