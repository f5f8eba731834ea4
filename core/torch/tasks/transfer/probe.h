// The classifier that measures frozen embeddings (core/torch/tasks/transfer/README.md): softmax
// regression, or with a hidden layer Linear-Dropout-Sigmoid-Linear; and its training. It is small
// and trained hundreds of times in a task, so the forward pass and the gradient are computed
// directly on rows (core/cpu/row_products.inl), without a graph. It uses one thread; results do not
// depend on what runs concurrently.
#pragma once

#include <ATen/core/Tensor.h>

#include <cstdint>
#include <memory>
#include <vector>

#include "core/torch/optim/optimizer.h"
#include "core/torch/optim/optimizer_options.h"

namespace contrastive::eval {

// Embeddings with their labels or targets. `rows` point to `width` floats, which must outlive this.
struct ProbeData {
  int64_t width = 0;
  int64_t classes = 0;
  std::vector<const float*> rows;
  std::vector<int64_t> labels;        // [rows], below `classes`: trained with cross-entropy
  std::vector<const float*> targets;  // or [rows] distributions of `classes` floats: trained with
                                      // the squared error of the softmax

  int64_t size() const { return static_cast<int64_t>(rows.size()); }
  ProbeData chosen(const std::vector<int64_t>& examples) const;
};

struct ProbeShape {
  int64_t in = 0;
  int64_t hidden = 0;  // 0: softmax regression
  int64_t out = 0;
  double dropout = 0;  // for the input of the hidden layer's sigmoid
};

class Probe {
 public:
  // Weights and biases start uniform in +-1/sqrt(inputs of their layer), as in torch.nn.Linear. The
  // optimiser's weight decay applies to all of them, including biases, as in SentEval.
  Probe(const ProbeShape& shape, const optim::OptimizerOptions& optimizer, double lr,
        uint64_t seed);

  // Makes one pass over `order`, in batches of `batch_size` (the last may be smaller), with one
  // step of the optimiser for each. Losses are means over a batch.
  void train(const ProbeData& data, const std::vector<int64_t>& order, int64_t batch_size);

  // [rows, out] before the softmax, without dropout.
  std::vector<float> logits(const std::vector<const float*>& rows) const;
  // The class with the largest logit, the first among equals.
  std::vector<int64_t> predict(const std::vector<const float*>& rows) const;

  // All weights in one vector: hidden [hidden, in], its bias, output [out, hidden or in], its bias.
  std::vector<float> weights() const;
  void set_weights(const std::vector<float>& weights);  // must have the same length

 private:
  struct Layer {
    int64_t in, out;
    int64_t weight, bias;  // where they begin in weights_
  };
  void forward(const Layer& layer, const float* const* rows, int64_t count, float* y) const;
  void backward(const Layer& layer, const float* const* rows, int64_t count, const float* grad_y);
  void step(const ProbeData& data, const int64_t* examples, int64_t count);
  void drop(int64_t count);
  void hidden_gradient(const float* grad_out, int64_t count);
  bool deep() const { return layers_.size() == 2; }

  ProbeShape shape_;
  double lr_;
  uint64_t seed_;
  std::vector<Layer> layers_;  // one or two
  at::Tensor weights_;
  float* weight_;    // the elements of weights_
  float* gradient_;  // the elements of its gradient
  std::shared_ptr<optim::Optimizer> optimizer_;
  // The current batch.
  std::vector<const float*> rows_, activations_of_;
  std::vector<float> activations_, grad_hidden_, logits_;
  std::vector<uint64_t> kept_;
};

// Converts logits [rows, classes] to probabilities in place.
void softmax_rows(float* logits, int64_t rows, int64_t classes);

}  // namespace contrastive::eval
