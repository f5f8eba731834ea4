// The networks that CLSR trains (core/torch/methods/clsr/README.md 1): e maps a frozen sentence
// vector x to v, the vector that is used after training, and h maps v to z, on which the loss is
// computed. Tensors in, tensors out. The same maps are also available as Dense modules for the
// saved model.
#pragma once

#include <ATen/core/Tensor.h>

#include <cstdint>
#include <string>
#include <vector>

#include "core/io/model_folder.h"
#include "core/torch/methods/method.h"

namespace contrastive::methods {

// kRandom: v = relu(W2 relu(W1 x + b1) + b2), as in the paper. kIdentity: v = W1 x + b1, with W1 =
// I and b1 = 0 at the start. kResidual: v = x + W2 relu(W1 x + b1) + b2, with W2 = 0 and b2 = 0 at
// the start. With the last two, v = x at the start.
enum class EncoderInit { kRandom, kIdentity, kResidual };
enum class ReluAt { kHidden, kOutput, kBoth };
enum class Projection { kNone, kLinear, kMlp };

struct ClsrHeadOptions {
  int64_t input = 0;
  int64_t hidden = 768;
  int64_t output = 768;  // dimension of v; must be that of the input for kIdentity and kResidual
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
  // v -> z [n, projection_output]; v itself without a projection.
  at::Tensor project(const at::Tensor& v) const;
  const std::vector<Parameter>& parameters() const { return parameters_; }

  // The modules that compute v, or z if `with_projection`, in their own memory. If `mean` and
  // `scale` [input] are defined, the input is (x - mean) * scale, which is folded into the first
  // module. `weights`, by the names of parameters(), replace the current ones.
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
