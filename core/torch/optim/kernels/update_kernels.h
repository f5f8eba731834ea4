// What an update asks of the CPU: Adam's step and looks at gradients, in one pass over memory each,
// and the choice among their builds. They are written on the vectors of core/encoder/kernels, and
// each build compiles them for another width. Nothing here allocates, throws or starts threads; a
// caller hands out stretches.
#pragma once

#include <cstdint>
#include <vector>

namespace contrastive::optim::kernels {

// One step of Adam in any of its forms, on `count` numbers:
//   g = gradient * gradient_scale + l2 p;  m = beta1 m + (1 - beta1) g;  v = beta2 v + (1 - beta2)
//   g^2 p = (p before - rate m / (sqrt(v) root_scale + eps)) after
struct AdamTask {
  int64_t count = 0;
  float* parameter = nullptr;
  const float* gradient = nullptr;
  float* mean = nullptr;
  float* square = nullptr;
  float fresh1 = 1, fresh2 = 1;  // 1 - beta, which float32 would take from a rounded beta
  float gradient_scale = 1, l2 = 0, beta1 = 0, beta2 = 0, rate = 0, root_scale = 1, eps = 0,
        before = 1, after = 1;
};

struct UpdateKernels {
  const char* name;
  void (*adam)(const AdamTask&);
  bool (*is_zero)(const float* x, int64_t count);
  float (*sum_of_squares)(const float* x, int64_t count);
};

extern const UpdateKernels kBaseline;
extern const UpdateKernels kAvx2;  // x86-64 only, as the next
extern const UpdateKernels kAvx512;
extern const UpdateKernels kNeon;  // arm64 only

// The widest build that this processor runs.
const UpdateKernels& best_update_kernels();
// All builds that it runs: for tests.
std::vector<const UpdateKernels*> usable_update_kernels();

}  // namespace contrastive::optim::kernels
