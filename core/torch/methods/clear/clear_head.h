// The head between an encoder's sentence vector and CLEAR's contrastive loss
// (core/torch/methods/clear/README.md 1). It is thrown away after training. Tensors in, tensors
// out.
#pragma once

#include <ATen/core/Tensor.h>
#include <c10/core/Device.h>

#include <cstdint>
#include <string>
#include <vector>

#include "core/torch/methods/method.h"

namespace contrastive::methods {

// kCode: relu(W2 LN(gelu(W1 h + b1)) + b2), as in the authors' code. kSimclrMlp: W2 relu(W1 h).
// kNone: h itself.
enum class ClearHeadKind { kCode, kSimclrMlp, kNone };

struct ClearHeadOptions {
  ClearHeadKind kind = ClearHeadKind::kCode;
  int64_t input = 768;
  int64_t hidden = 768;
  int64_t output = 1024;
  bool final_relu = true;           // kCode only
  double initializer_range = 0.02;  // standard deviation of the initial matrices; biases are 0
  uint64_t seed = 1;
};

class ClearHead {
 public:
  ClearHead(const ClearHeadOptions& options, const c10::Device& device);

  at::Tensor project(const at::Tensor& h) const;  // h [n, input] -> z [n, output]
  const std::vector<Parameter>& parameters() const { return parameters_; }

 private:
  at::Tensor add(const std::string& name, at::Tensor tensor);
  at::Tensor random_matrix(const std::string& name, int64_t out, int64_t in);

  ClearHeadOptions options_;
  c10::Device device_;
  at::Tensor w1_, b1_, norm_weight_, norm_bias_, w2_,
      b2_;  // W1 [hidden, input], W2 [output, hidden]
  std::vector<Parameter> parameters_;
};

}  // namespace contrastive::methods
