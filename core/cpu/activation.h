// The activation functions of encoders.
#pragma once

namespace contrastive::cpu {

// Only LibTorch computes the last four. The CPU's kernels do not have them.
enum class Activation { kGeluErf, kGeluTanh, kRelu, kSilu, kTanh, kSigmoid, kMish, kQuickGelu };
constexpr bool kernels_activate(Activation activation) { return activation <= Activation::kSilu; }

}  // namespace contrastive::cpu
