// What CLSR trains (core/torch/methods/clsr/README.md 1): e, which maps a frozen sentence vector x
// to v, the vector that is used afterwards, and h, which maps v to z, where the loss is taken.
// Tensors in, tensors out; and the same maps as Dense modules for the saved model.
#pragma once

#include <ATen/core/Tensor.h>

#include <cstdint>
#include <string>
#include <vector>

#include "core/io/model_folder.h"
#include "core/torch/methods/method.h"

namespace contrastive::methods {

// kRandom: v = relu(W2 relu(W1 x + b1) + b2), the paper's. kIdentity: v = W1 x + b1 with W1 = I and
// b1 = 0 at the start. kResidual: v = x + W2 relu(W1 x + b1) + b2 with W2 = 0 and b2 = 0 at the
// start. The last two begin as the frozen encoder itself.
enum class EncoderInit { kRandom, kIdentity, kResidual };
enum class ReluAt { kHidden, kOutput, kBoth };
enum class Projection { kNone, kLinear, kMlp };

struct ClsrHeadOptions {
  int64_t input = 0;
  int64_t hidden = 768;
  int64_t output = 768;  // of v; the input's for kIdentity and kResidual
  EncoderInit init = EncoderInit::kRandom;
  ReluAt relu = ReluAt::kBoth;  // kRandom only
  Projection projection = Projection::kLinear;
  int64_t projection_output = 768;
  uint64_t seed = 1;
};

class ClsrHead {
 public:
  explicit ClsrHead(const ClsrHeadOptions& options);

  at::Tensor encode(const at::Tensor& x) const;  // x [n, input] -> v [n, output]
  at::Tensor project(
      const at::Tensor& v) const;  // v -> z [n, projection_output]; v itself without a projection
  const std::vector<Parameter>& parameters() const { return parameters_; }

  // v, or z where `with_projection`, as Dense modules of their own memory. `mean` and `scale`
  // [input], where defined, stand for the input (x - mean) * scale, which is folded into the first
  // module. `weights`, by the names of parameters(), stand for what these are now.
  std::vector<io::DenseModule> modules(bool with_projection, const at::Tensor& mean = {},
                                       const at::Tensor& scale = {},
                                       const tensors::TorchTensorMap& weights = {}) const;

 private:
  struct Layer {
    std::string name;
    at::Tensor weight, bias;  // [out, in], [out]
  };
  static std::vector<Layer> replaced(std::vector<Layer> layers,
                                     const tensors::TorchTensorMap& weights);
  Layer make_layer(const std::string& name, at::Tensor weight, at::Tensor bias);
  Layer random_layer(const std::string& name, int64_t out, int64_t in);
  bool relu_after(ReluAt place) const {
    return options_.relu == place || options_.relu == ReluAt::kBoth;
  }

  ClsrHeadOptions options_;
  std::vector<Layer> encoder_, projection_;
  std::vector<Parameter> parameters_;
};

}  // namespace contrastive::methods
