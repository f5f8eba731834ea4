// What a training method is to the trainer: a loss on a batch, the parameters it moves, and an encoder to hand out. Loops, optimisers, schedules,
// checkpoints and dev evaluation are the trainer's; a method never steps.
//
// A method may run the encoder as often as it likes inside loss(): two augmented views, a masked one, a frozen teacher. The trainer calls loss()
// once for each part of an update and adds the gradients up, so that accumulation needs nothing from a method.
#pragma once

#include <ATen/core/Tensor.h>

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "core/base/cancel.h"
#include "core/base/config.h"
#include "core/data/batch.h"
#include "core/data/dataset.h"
#include "core/io/safetensors.h"
#include "core/model/sentence_encoder.h"

namespace contrastive::methods {

// A leaf tensor that the optimiser moves. Names are unique within a method, and stable: checkpoints and error messages use them.
struct Parameter {
  std::string name;
  at::Tensor tensor;  // requires grad
  bool decay = true;  // takes part in weight decay (and in the adaptation of LARS)
};

// The usual rule (methods.md 1.3): everything decays but biases and LayerNorm weights.
bool decays_by_name(const std::string& name);

// Named scalars of one batch. The first is the total, which is differentiated; the others, its parts, are only reported.
struct LossTerms {
  std::vector<std::pair<std::string, at::Tensor>> values;
  int64_t tokens = 0;  // that went through an encoder for this batch, for the rate

  const at::Tensor& total() const { return values.front().second; }
};

// What is beside the parameters and must survive a pause: statistics, caches, counters.
struct MethodState {
  io::TensorMap tensors;  // float32 or int64
  Json values = Json::object();
};

struct MethodContext {
  // Where training starts. Others may be encoding with it: a method that trains the encoder works on start->snapshot().
  std::shared_ptr<model::SentenceEncoder> start;
  Config config;               // already validated by the method's `describe`
  uint64_t seed = 1;
  std::string cache_folder;    // for what a method computes once and keeps across runs; "" = in memory only
};

class Method {
 public:
  virtual ~Method() = default;

  // Once, before the first loss() of a new run, not of a resumed one. `data` is null when the caller brings every batch.
  virtual void prepare(const data::Dataset* data, const Cancel* cancel) { (void)data, (void)cancel; }
  // The loss of one batch with its graph. Randomness comes from Rng with the batch's epoch and indices and nothing else.
  virtual LossTerms loss(const data::Batch& batch) = 0;
  virtual std::vector<Parameter> parameters() const = 0;
  virtual bool trains_encoder() const = 0;  // false: the encoder's weights stay bit for bit

  // Sentence vectors as the weights are now, in evaluation mode, without a graph: [texts, dimension()].
  virtual int64_t dimension() const = 0;
  virtual void embed(const std::vector<std::string_view>& texts, float* embeddings) = 0;
  // An independent encoder that gives these vectors, from texts alone: what is saved and used after training.
  virtual std::shared_ptr<model::SentenceEncoder> deliver() const = 0;

  virtual MethodState save_state() const { return {}; }
  virtual void load_state(const MethodState& state) { (void)state; }
};

}  // namespace contrastive::methods
