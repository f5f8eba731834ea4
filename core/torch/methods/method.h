// What a training method is to the trainer: a loss on a batch, the parameters it moves, and a model
// to hand out. Loops, optimisers, schedules, checkpoints and dev evaluation are the trainer's; a
// method never steps. Every method is one of two kinds, by what it trains: an EncoderMethod gives
// vectors of texts, a RerankerMethod gives scores of pairs.
//
// A loss is computed in two stages, so that an update may be larger than memory: views() runs the
// encoder on the examples of one part (two augmented views, a masked one, a frozen teacher, ...),
// text by text; compare() is the one place where examples meet. With negatives = micro the trainer
// compares each part by itself and adds the gradients up. With negatives = global it joins the
// views of all parts, compares them once, and runs the parts a second time for their gradients
// (cached gradients, Gao et al., 2021): the result does not depend on how an update is split.
#pragma once

#include <ATen/core/Tensor.h>

#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "core/base/cancel.h"
#include "core/base/config.h"
#include "core/data/batch.h"
#include "core/data/dataset.h"
#include "core/torch/tensors/tensors.h"
#include "core/model/model.h"
#include "core/model/sentence_encoder.h"
#include "core/model/token_packing.h"
#include "core/torch/optim/parameter.h"

namespace contrastive::methods {

using optim::decays_by_name;
using optim::Parameter;

// A loss that is a mean over single positions or texts, such as masked language modelling's: its
// sum and what to divide by, kept apart so that the parts of an update add up.
struct Mean {
  std::string name;
  at::Tensor sum;    // scalar, with its graph
  double count = 0;  // 0: the mean is 0
};

// Rows under the name that the method gives them: "a.view1", "anchor", "b.text".
struct NamedRows {
  std::string name;
  at::Tensor rows;
};

// What the examples of a batch become before they are compared with each other.
struct Views {
  // Each [rows, ...], the rows in the order of the batch's examples, all rows of one example
  // together (k negatives of each: [examples, k, width]), so that parts are joined along the rows.
  // Those of a floating type may carry a graph; others (text ids) never do. In mixed precision they
  // may be bfloat16 or float16 when views() returns; compare() is given float32. Always in the same
  // order: the trainer's watch over collapse looks at the first two of a floating type.
  std::vector<NamedRows> vectors;
  std::vector<Mean> means;
  int64_t tokens = 0;  // that went through an encoder, for the rate

  const at::Tensor& operator[](std::string_view name) const;  // of vectors; there must be such
  bool has(std::string_view name) const;
};

// The views of several parts as those of one batch.
Views join(const std::vector<Views>& parts);

// Named scalars of one batch. The first is the total, which is differentiated; the others, its
// parts, are only reported.
struct LossTerms {
  std::vector<std::pair<std::string, at::Tensor>> values;

  const at::Tensor& total() const { return values.front().second; }
};

// What is beside the parameters and must survive a pause: statistics, caches, counters.
struct MethodState {
  tensors::TorchTensorMap tensors;  // float32 or int64
  Json values = Json::object();
};

// The encoder that the methods of several tasks train together
// (core/torch/methods/tuned_encoder.h).
struct SharedEncoder;
std::shared_ptr<SharedEncoder> make_shared_encoder();

struct MethodContext {
  // Where training starts. Others may be encoding with it: a method that trains the encoder works
  // on start->snapshot().
  std::shared_ptr<model::SentenceEncoder> start;
  // Of a reranker, whose body `start` then is; null where training starts from a sentence encoder.
  std::shared_ptr<const io::Classifier> head = nullptr;
  Config config;  // already validated by the method's `describe`
  uint64_t seed = 1;
  std::string
      cache_folder;  // for what a method computes once and keeps across runs; "" = in memory only
  bool gradient_checkpointing =
      false;  // the encoder's layers are recomputed in the backward pass, for memory
  // Null for a run with one task. Else the first method that is made puts its encoder there, and
  // the others train that one.
  std::shared_ptr<SharedEncoder> shared = nullptr;
};

class Method {
 public:
  virtual ~Method() = default;

  // The examples as this method takes them: `data` itself, or what it makes of it (blocks of
  // several texts). Called once, before all others; on a resumed run too.
  virtual std::shared_ptr<const data::Dataset> arrange(
      std::shared_ptr<const data::Dataset> data) const {
    return data;
  }
  // Once, before the first views() of a new run, not of a resumed one. `data` is null when the
  // caller brings every batch.
  virtual void prepare(const data::Dataset* data, const Cancel* cancel) {
    (void)data, (void)cancel;
  }
  // Fills batch.tokens. Called ahead of time on another thread, so it reads only what never
  // changes; views() calls it where nobody has.
  virtual void tokenize(data::Batch& batch) const { (void)batch; }
  // With the graph that the present grad mode asks for. Randomness comes from Rng with the batch's
  // epoch and indices and nothing else: called twice, it gives the same views bit for bit.
  virtual Views views(const data::Batch& batch) = 0;
  // The loss of views that belong to the examples of `batch`; parameters may take part here too
  // (projection heads, classifiers, regularisers). The views may be those of many parts: then
  // batch.tokens is empty and so are the texts of its examples (their number, labels and numbers of
  // negatives are there), and whatever else compare() needs travels in the views. Always in
  // float32.
  virtual LossTerms compare(const Views& views, const data::Batch& batch) = 0;
  virtual std::vector<Parameter> parameters() const = 0;
  virtual bool trains_encoder() const = 0;  // false: the encoder's weights stay bit for bit

  // An independent model that gives the vectors or scores of this method from texts alone: what is
  // saved and used after training. `weights`, by the names of parameters(), replace the present
  // ones. The method and its parameters stay as they are.
  virtual std::shared_ptr<model::Model> result(const tensors::TorchTensorMap& weights) const = 0;

  // Where the vectors differ from those that the method's paper gives figures of: each a sentence,
  // which the model's card repeats.
  virtual std::vector<std::string> remarks() const { return {}; }

  virtual MethodState save_state() const { return {}; }
  virtual void load_state(const MethodState& state) { (void)state; }
};

// A method that trains a sentence encoder (MethodTraits::gives is kVectors).
class EncoderMethod : public Method {
 public:
  // Sentence vectors as the weights are now, in evaluation mode, without a graph: [texts,
  // dimension()]. `cancel` is polled between batches.
  virtual int64_t dimension() const = 0;
  virtual void embed(const std::vector<std::string_view>& texts, float* embeddings,
                     const Cancel* cancel = nullptr) = 0;
  // result() with the present weights.
  std::shared_ptr<model::SentenceEncoder> deliver() const;
  // The prompts that result() gives the model besides those that it began with, by name.
  virtual std::map<std::string, std::string> prompts() const { return {}; }
};

// A method that trains a reranker (MethodTraits::gives is kScores or kClasses).
class RerankerMethod : public Method {
 public:
  // Logits of pairs of texts as the weights are now, in evaluation mode, without a graph: [pairs,
  // labels()]. `cancel` is polled between batches.
  virtual int64_t labels() const = 0;
  virtual void score(const std::vector<model::TextPair>& pairs, float* logits,
                     const Cancel* cancel = nullptr) = 0;
};

// `method` as what it trains. Null where it trains the other.
EncoderMethod* encoder_method(Method& method);
RerankerMethod* reranker_method(Method& method);
// An internal error where `method` trains a reranker.
std::unique_ptr<EncoderMethod> as_encoder_method(std::unique_ptr<Method> method);

}  // namespace contrastive::methods
