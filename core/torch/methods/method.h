// The interface of a training method: a loss on a batch, the parameters that it trains, and the
// model that it delivers. The trainer does the rest: loops, optimisers, schedules, checkpoints and
// dev evaluation. A method never updates weights itself. There are two kinds of method, by what
// they train: an EncoderMethod gives vectors of texts, a RerankerMethod gives scores of pairs.
//
// A loss is computed in two stages, so that an update may be larger than memory. views() runs the
// encoder on the examples of one part, text by text (two augmented views, a masked one, a frozen
// teacher, ...). compare() is the only place where examples meet. With negatives = micro the
// trainer compares each part separately and adds up the gradients. With negatives = global it joins
// the views of all parts, compares them once, and runs the parts a second time for their gradients
// (cached gradients, Gao et al., 2021). The result then does not depend on how an update is split.
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

// A loss that is a mean over positions or texts, such as that of masked language modelling. It
// keeps the sum and the count separately so that the parts of an update add up.
struct Mean {
  std::string name;
  at::Tensor sum;    // scalar, with its graph
  double count = 0;  // 0: the mean is 0
};

// Rows with the name that the method gives them: "a.view1", "anchor", "b.text".
struct NamedRows {
  std::string name;
  at::Tensor rows;
};

// What the examples of a batch become before they are compared with each other.
struct Views {
  // Each is [rows, ...], with the rows in the order of the batch's examples and all rows of one
  // example together (k negatives of each: [examples, k, width]), so that parts can be joined along
  // the rows. Floating-point tensors may carry a graph; others (text ids) never do. In mixed
  // precision views() may return bfloat16 or float16; compare() receives float32. The order is
  // always the same: the collapse watch of the trainer looks at the first two floating-point
  // tensors.
  std::vector<NamedRows> vectors;
  std::vector<Mean> means;
  int64_t tokens = 0;  // number that went through an encoder, for the rate

  // Looks up `vectors`; the name must exist.
  const at::Tensor& operator[](std::string_view name) const;
  bool has(std::string_view name) const;
};

// Joins the views of several parts into those of one batch.
Views join(const std::vector<Views>& parts);

// Named scalars of one batch. The first is the total, which is differentiated. The others are its
// parts, which are only reported.
struct LossTerms {
  std::vector<std::pair<std::string, at::Tensor>> values;

  const at::Tensor& total() const { return values.front().second; }
};

// What must survive a pause besides the parameters: statistics, caches, counters.
struct MethodState {
  tensors::TorchTensorMap tensors;  // float32 or int64
  Json values = Json::object();
};

// The encoder that the methods of several tasks train together
// (core/torch/methods/tuned_encoder.h).
struct SharedEncoder;
std::shared_ptr<SharedEncoder> make_shared_encoder();

struct MethodContext {
  // Where training starts. Other threads may be encoding with it, so a method that trains the
  // encoder works on start->snapshot().
  std::shared_ptr<model::SentenceEncoder> start;
  // The head of a reranker whose body is `start`; null if training starts from a sentence encoder.
  std::shared_ptr<const io::Classifier> head = nullptr;
  Config config;  // already validated by the method's `describe`
  uint64_t seed = 1;
  // Folder for what a method computes once and keeps across runs; "" = in memory only.
  std::string cache_folder;
  // Recompute the encoder's layers in the backward pass, to save memory.
  bool gradient_checkpointing = false;
  // Null for a run with one task. Otherwise the first method that is made puts its encoder there,
  // and the others train that one.
  std::shared_ptr<SharedEncoder> shared = nullptr;
};

class Method {
 public:
  virtual ~Method() = default;

  // Returns the examples in the form that this method trains on: `data` itself, or what the method
  // makes of it (blocks of several texts). Called once, before all other functions, also on a
  // resumed run.
  virtual std::shared_ptr<const data::Dataset> arrange(
      std::shared_ptr<const data::Dataset> data) const {
    return data;
  }
  // Called once before the first views() of a new run, but not of a resumed one. `data` is null if
  // the caller passes every batch.
  virtual void prepare(const data::Dataset* data, const Cancel* cancel) {
    (void)data, (void)cancel;
  }
  // Fills batch.tokens. The trainer calls it ahead of time on another thread, so it reads only what
  // never changes. views() calls it if it was not called.
  virtual void tokenize(data::Batch& batch) const { (void)batch; }
  // Returns the views, with a graph if the current grad mode asks for one. All randomness comes
  // from Rng with the batch's epoch and indices: a second call gives the same views bit for bit.
  virtual Views views(const data::Batch& batch) = 0;
  // Returns the loss of views of the examples of `batch`. Parameters may take part here too
  // (projection heads, classifiers, regularisers). The views may be those of many parts: then
  // batch.tokens and the texts of its examples are empty (their number, labels and numbers of
  // negatives are there), so whatever else compare() needs must be in the views. Always in float32.
  virtual LossTerms compare(const Views& views, const data::Batch& batch) = 0;
  virtual std::vector<Parameter> parameters() const = 0;
  virtual bool trains_encoder() const = 0;  // false: the encoder's weights do not change by a bit

  // Returns an independent model that computes the vectors or scores of this method from texts:
  // what is saved and used after training. `weights`, by the names of parameters(), replace the
  // current ones. The method and its parameters are not changed.
  virtual std::shared_ptr<model::Model> result(const tensors::TorchTensorMap& weights) const = 0;

  // Where the vectors differ from those whose figures the method's paper reports. Each is a
  // sentence, which the model card repeats.
  virtual std::vector<std::string> remarks() const { return {}; }

  virtual MethodState save_state() const { return {}; }
  virtual void load_state(const MethodState& state) { (void)state; }
};

// A method that trains a sentence encoder (MethodTraits::gives is kVectors).
class EncoderMethod : public Method {
 public:
  // Sentence vectors with the current weights, in evaluation mode, without a graph: [texts,
  // dimension()]. `cancel` is polled between batches.
  virtual int64_t dimension() const = 0;
  virtual void embed(const std::vector<std::string_view>& texts, float* embeddings,
                     const Cancel* cancel = nullptr) = 0;
  // result() with the current weights.
  std::shared_ptr<model::SentenceEncoder> deliver() const;
  // The prompts that result() adds to those of the start model, by name.
  virtual std::map<std::string, std::string> prompts() const { return {}; }
};

// A method that trains a reranker (MethodTraits::gives is kScores or kClasses).
class RerankerMethod : public Method {
 public:
  // Logits of pairs of texts with the current weights, in evaluation mode, without a graph: [pairs,
  // labels()]. `cancel` is polled between batches.
  virtual int64_t labels() const = 0;
  virtual void score(const std::vector<model::TextPair>& pairs, float* logits,
                     const Cancel* cancel = nullptr) = 0;
};

// Casts `method` to what it trains. Null if it trains the other.
EncoderMethod* encoder_method(Method& method);
RerankerMethod* reranker_method(Method& method);
// An internal error if `method` trains a reranker.
std::unique_ptr<EncoderMethod> as_encoder_method(std::unique_ptr<Method> method);

}  // namespace contrastive::methods
