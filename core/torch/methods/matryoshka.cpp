#include "core/torch/methods/matryoshka.h"

#include <ATen/TensorOperators.h>

#include <algorithm>
#include <map>
#include <utility>

#include "core/base/error.h"
#include "core/base/idle_keys.h"
#include "core/base/log.h"
#include "core/base/rng.h"
#include "core/torch/objectives/unit_rows.h"

namespace contrastive::methods {
namespace {

class Matryoshka : public EncoderMethod {
 public:
  Matryoshka(std::unique_ptr<EncoderMethod> method, const MatryoshkaOptions& options,
             std::vector<std::string> cut, uint64_t seed)
      : method_(std::move(method)), options_(options), cut_(std::move(cut)), seed_(seed) {
    options_.weights.resize(options_.dims.size(), 1);
    const int64_t whole = method_->dimension(),
                  largest = *std::max_element(options_.dims.begin(), options_.dims.end());
    check(largest <= whole, Status::kArgument, "config key 'matryoshka.dims' has ", largest,
          ", but the model's vectors have ", whole, " dimensions");
    if (largest < whole) {
      log_warning("config key 'matryoshka.dims' ends at ", largest,
                  ", but the model's vectors have ", whole,
                  " dimensions: the numbers behind are not trained; add ", whole,
                  " to the list to train the whole vectors too");
    }
  }

  // The same dimensions for all parts, passes and ranks of an update.
  LossTerms compare(const Views& views, const data::Batch& batch) override {
    const std::vector<size_t> drawn = draw(batch.step);
    at::Tensor total;
    LossTerms terms;
    terms.values.emplace_back("matryoshka", at::Tensor());
    for (const size_t i : drawn) {
      const LossTerms cut = method_->compare(cut_to(views, options_.dims[i]), batch);
      const at::Tensor weighted = cut.total() * options_.weights[i];
      total = total.defined() ? total + weighted : weighted;
      // If the dimensions change between updates, the last loss of one would be reported next to
      // current ones.
      if (drawn.size() == options_.dims.size())
        terms.values.emplace_back(cat(cut.values.front().first, ".", options_.dims[i]),
                                  cut.total());
    }
    terms.values.front().second = total;
    return terms;
  }

  std::shared_ptr<const data::Dataset> arrange(
      std::shared_ptr<const data::Dataset> data) const override {
    return method_->arrange(std::move(data));
  }
  void prepare(const data::Dataset* data, const Cancel* cancel) override {
    method_->prepare(data, cancel);
  }
  void tokenize(data::Batch& batch) const override { method_->tokenize(batch); }
  Views views(const data::Batch& batch) override { return method_->views(batch); }
  std::vector<Parameter> parameters() const override { return method_->parameters(); }
  bool trains_encoder() const override { return method_->trains_encoder(); }
  int64_t dimension() const override { return method_->dimension(); }
  void embed(const std::vector<std::string_view>& texts, float* embeddings,
             const Cancel* cancel) override {
    method_->embed(texts, embeddings, cancel);
  }
  std::shared_ptr<model::Model> result(const tensors::TorchTensorMap& weights) const override {
    return method_->result(weights);
  }
  std::vector<std::string> remarks() const override { return method_->remarks(); }
  std::map<std::string, std::string> prompts() const override { return method_->prompts(); }
  MethodState save_state() const override { return method_->save_state(); }
  void load_state(const MethodState& state) override { method_->load_state(state); }

 private:
  // Numbers of the dimensions, in the order of the list.
  std::vector<size_t> draw(int64_t step) const {
    std::vector<size_t> drawn(options_.dims.size());
    for (size_t i = 0; i < drawn.size(); ++i) drawn[i] = i;
    if (options_.dims_per_step == 0) return drawn;
    Rng(seed_, Purpose::kMatryoshka, static_cast<uint64_t>(step)).shuffle(drawn);
    drawn.resize(static_cast<size_t>(options_.dims_per_step));
    std::sort(drawn.begin(), drawn.end());
    return drawn;
  }

  // Scaled to length 1 again, whatever the length was before, as in MatryoshkaLoss.
  Views cut_to(Views views, int64_t dimension) const {
    for (NamedRows& entry : views.vectors) {
      const bool sentence = std::find(cut_.begin(), cut_.end(), entry.name) != cut_.end();
      if (sentence) entry.rows = objectives::unit_rows(entry.rows.narrow(1, 0, dimension));
    }
    return views;
  }

  std::unique_ptr<EncoderMethod> method_;
  MatryoshkaOptions options_;
  std::vector<std::string> cut_;
  uint64_t seed_;
};

}  // namespace

void MatryoshkaOptions::visit(OptionVisitor& v) {
  v.integers("dims", dims, between(1, 1 << 17),
             OptionDoc("dimensions to cut the vectors to: the losses of the cut vectors are added, "
                       "so that users may cut stored vectors. Include the model's own dimension. "
                       "Empty = whole vectors only")
                 .source("Kusupati et al., 2022; MatryoshkaLoss")
                 .unit("dimensions"));
  v.numbers("weights", weights, above(0, 1e6),
            OptionDoc(
                "weights of the losses for matryoshka.dims, in the same order; empty = 1 each")
                .source("MatryoshkaLoss: 1"));
  v.integer(
      "dims_per_step", dims_per_step, between(0, 1 << 17),
      OptionDoc(
          "number of matryoshka.dims to draw for each update, which saves time; 0 = all of them")
          .source("MatryoshkaLoss: all"));
}

void MatryoshkaOptions::validate(const Config& config, const char* method,
                                 const MethodTraits& traits) const {
  reject_idle_keys(config, kPrefix,
                   {{!on(), "it goes with matryoshka.dims only", {"weights", "dims_per_step"}}});
  if (!on()) return;
  check(!traits.sentence_vectors.empty(), Status::kArgument,
        "config key 'matryoshka.dims': the vectors that method '", method,
        "' compares cannot be cut: ", traits.uncut);
  for (const int64_t dim : dims) {
    check(std::count(dims.begin(), dims.end(), dim) == 1, Status::kArgument,
          "config key 'matryoshka.dims': ", dim, " occurs twice");
  }
  check(weights.empty() || weights.size() == dims.size(), Status::kArgument,
        "config key 'matryoshka.weights' has ", weights.size(),
        " numbers, but matryoshka.dims has ", dims.size(),
        ": one weight for each dimension is needed");
  check(dims_per_step <= static_cast<int64_t>(dims.size()), Status::kArgument,
        "config key 'matryoshka.dims_per_step' is ", dims_per_step, ", but matryoshka.dims has ",
        dims.size(), " to draw from");
}

std::unique_ptr<Method> cut_vectors(std::unique_ptr<EncoderMethod> method,
                                    const MatryoshkaOptions& options, const MethodTraits& traits,
                                    uint64_t seed) {
  return std::make_unique<Matryoshka>(std::move(method), options, traits.sentence_vectors, seed);
}

}  // namespace contrastive::methods
