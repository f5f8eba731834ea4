#include "core/torch/methods/consert/consert.h"

#include <ATen/TensorOperators.h>
#include <ATen/core/grad_mode.h>
#include <ATen/ops/cat.h>
#include <ATen/ops/empty.h>
#include <ATen/ops/zeros.h>
#include <torch/csrc/autograd/autograd.h>

#include <algorithm>
#include <cmath>

#include "core/base/error.h"
#include "core/base/log.h"
#include "core/torch/methods/consert/consert_views.h"
#include "core/torch/methods/repeated_texts.h"

namespace contrastive::methods {
namespace {

constexpr double kSlopeScale = 1024;

// One view of all texts of a batch.
struct TextView {
  const char* name;
  augment::Strategy strategy;
  Purpose purpose = Purpose::kViewOne;
};

class Consert : public EncoderMethod {
 public:
  Consert(const MethodContext& context, const ConsertOptions& options)
      : options_(options), seed_(context.seed), encoder_(context, options.encoder),
        features_(objectives::parse_pair_features(options.nli_features, "consert.nli_features")) {
    check(!options.staged(), Status::kArgument,
          "config key 'consert.mode': a run of two stages is two runs, each with its own mode");
    check_eval_pooling();
    plan_passes();
    parameters_ = encoder_.parameters();
    if (options.labelled()) make_classifier();
    if (options.contrasts() && options.view1 == "none" && options.view2 == "none" &&
        !options.encoder.dropout) {
      log_warning("consert.view1 and consert.view2 are none and consert.dropout is off: both views "
                  "of a text are the same");
    }
    if (options.preset == "consert-code") first_place_ = -encoder_.shape().first_position;
  }

  void prepare(const data::Dataset* data, const Cancel* cancel) override {
    if (data == nullptr || !options_.labelled()) return;
    for (int64_t i = 0; i < data->size();
         ++i) {  // a bad label is met before the first update, not in the middle of an epoch
      if (i % 1024 == 0) throw_if_cancelled(cancel);
      label_of(data->get(i), [&] { return data->where(i); });
    }
  }

  void tokenize(data::Batch& batch) const override { encoder_.tokenize_columns(batch); }

  Views views(const data::Batch& given) override {
    data::Batch own;
    if (given.tokens.empty()) {
      own = given;
      tokenize(own);
    }
    const data::Batch& batch = given.tokens.empty() ? own : given;
    check_columns(batch);
    Views views;
    Vectors vectors(passes_.size());
    forward(batch, vectors, views.tokens);
    for (size_t column = 0; column < batch.tokens.size(); ++column) {
      for (size_t i = 0; i < vectors.size(); ++i)
        views.vectors.push_back({entry(column, passes_[i].name), vectors[i][column]});
      views.vectors.push_back({entry(column, "text"), text_identities(batch.tokens[column])});
    }
    return views;
  }

  LossTerms compare(const Views& views, const data::Batch& batch) override {
    LossTerms terms;
    if (!options_.contrasts()) {
      terms.values.emplace_back("cross_entropy",
                                cross_entropy(views["a.clean"], views["b.clean"], batch));
      return terms;
    }
    const at::Tensor contrastive = contrast(views);
    if (options_.labelled()) {
      const at::Tensor classified = cross_entropy(views["a.clean"], views["b.clean"], batch);
      terms.values = {{"total", classified + options_.alpha * contrastive},
                      {"cross_entropy", classified},
                      {"contrastive", contrastive}};
    } else if (options_.alpha_everywhere) {
      terms.values = {{"total", options_.alpha * contrastive}, {"contrastive", contrastive}};
    } else {
      terms.values = {{"contrastive", contrastive}};
    }
    return terms;
  }

  std::vector<Parameter> parameters() const override { return parameters_; }
  bool trains_encoder() const override { return true; }
  int64_t dimension() const override { return encoder_.dimension(); }
  void embed(const std::vector<std::string_view>& texts, float* embeddings,
             const Cancel* cancel) override {
    encoder_.embed_texts(texts, embeddings, cancel);
  }

  std::vector<std::string> remarks() const override { return remarks_; }

  std::shared_ptr<model::Model> result(const tensors::TorchTensorMap& weights) const override {
    std::shared_ptr<model::SentenceEncoder> result = encoder_.deliver(weights);
    if (!options_.eval_pooling.empty()) result->set_pooling({options_.eval_pooling});
    return result;
  }

 private:
  using Vectors =
      std::vector<std::vector<at::Tensor>>;  // of each pass, of each column: [n, hidden]

  // What deliver() sets is known to work before the first update.
  void check_eval_pooling() {
    if (options_.eval_pooling.empty()) {
      remarks_.emplace_back("the model that is handed out pools as it was trained; the figures of "
                            "ConSERT's paper take last2 "
                            "(consert.eval_pooling, or a task's encode.pooling)");
      log_info(remarks_.back());
      return;
    }
    const encoder::Pooling pooling =
        parse_pooling_key("consert.eval_pooling", options_.eval_pooling,
                          encoder_.shape().num_hidden_layers);
    check(pooling.reduce != encoder::Reduce::kClsPooler || encoder_.encoder().has_pooler(),
          Status::kArgument,
          "config key 'consert.eval_pooling' is cls-pooler, but the checkpoint has no "
          "pooler.dense: use cls or mean");
  }

  // Clean texts are classified; a first view that changes nothing is the same pass
  // (core/torch/methods/consert/README.md 3).
  void plan_passes() {
    if (options_.labelled()) passes_.push_back({"clean", {}});
    if (!options_.contrasts()) return;
    const augment::Strategy first = options_.strategy1(), second = options_.strategy2();
    if (!options_.labelled() || !first.changes_nothing())
      passes_.push_back({"view1", first, Purpose::kViewOne});
    passes_.push_back({"view2", second, Purpose::kViewTwo});
  }

  // torch.nn.Linear's start.
  void make_classifier() {
    int64_t blocks = 0;
    for (const objectives::PairFeature feature : features_)
      blocks += objectives::blocks_of(feature);
    const int64_t inputs = blocks * encoder_.hidden_size();
    weight_ = at::empty({options_.classes, inputs}, at::kFloat);
    bias_ = at::empty({options_.classes}, at::kFloat);
    Rng rng(seed_, Purpose::kInitialise);
    const double bound = 1 / std::sqrt(static_cast<double>(inputs));
    for (const at::Tensor& tensor : {weight_, bias_}) {
      float* values = tensor.mutable_data_ptr<float>();
      for (int64_t i = 0; i < tensor.numel(); ++i)
        values[i] = static_cast<float>((2 * rng.uniform() - 1) * bound);
    }
    weight_ = weight_.to(encoder_.encoder().device()).requires_grad_(true);
    bias_ = bias_.to(encoder_.encoder().device()).requires_grad_(true);
    parameters_.push_back({"classifier.weight", weight_, true});
    parameters_.push_back({"classifier.bias", bias_, false});
  }

  void check_columns(const data::Batch& batch) const {
    for (int64_t i = 0; i < batch.size(); ++i) {
      const bool pair = batch.examples[static_cast<size_t>(i)].has_b;
      check(pair || !options_.labelled(), Status::kArgument,
            "ConSERT classifies pairs in this mode, but example ", random_example(batch, i),
            " has one text only");
      check(pair == (batch.tokens.size() == 2), Status::kArgument,
            "a batch holds pairs or single texts, not both: example ", random_example(batch, i),
            " is the other kind");
    }
  }

  // `where` returns which example it is, for an error about its label.
  template <class Where>
  int64_t label_of(const data::Example& example, const Where& where) const {
    const double label = example.label;
    if (std::isnan(label))
      fail(Status::kArgument, where(), ": no label, which the classifier of pairs needs");
    if (!(label >= 0 && label < static_cast<double>(options_.classes) &&
          std::floor(label) == label)) {
      fail(Status::kArgument, where(), ": the label is ", label, ", but whole numbers from 0 to ",
           options_.classes - 1, " are expected (consert.classes)");
    }
    return static_cast<int64_t>(label);
  }

  at::Tensor cross_entropy(const at::Tensor& a, const at::Tensor& b,
                           const data::Batch& batch) const {
    const at::Tensor labels = at::empty({batch.size()}, at::kLong);
    for (int64_t i = 0; i < batch.size(); ++i) {
      const auto where = [&] { return cat("example ", random_example(batch, i)); };
      labels.mutable_data_ptr<int64_t>()[i] =
          label_of(batch.examples[static_cast<size_t>(i)], where);
    }
    return objectives::pair_cross_entropy(a, b, labels, weight_, bias_, features_);
  }

  // All passes but the adversarial ones, as one packed batch; then those, which need the first
  // pass's gradient.
  void forward(const data::Batch& batch, Vectors& vectors, int64_t& tokens) {
    std::vector<size_t> plain, adversarial;
    for (size_t i = 0; i < passes_.size(); ++i)
      (passes_[i].strategy.adversarial ? adversarial : plain).push_back(i);
    if (adversarial.empty()) {
      run(batch, plain, {}, vectors, tokens);
      return;
    }
    at::Tensor step;
    {
      // Even if grad mode is off, the gradient must be computed here; its graph is then freed.
      const bool wanted = at::GradMode::is_enabled();
      const at::AutoGradMode with_gradient(true);
      const at::Tensor embedded = run(batch, plain, {}, vectors, tokens);
      const at::Tensor loss = cross_entropy(vectors[0][0], vectors[0][1], batch);
      // Scaled up during the computation so that small gradients survive float16; a power of two
      // changes no other bit.
      const at::Tensor slope =
          torch::autograd::grad({loss * kSlopeScale}, {embedded}, {}, /*retain_graph=*/wanted)[0] /
          kSlopeScale;
      // The clean texts come first among the passes.
      step = augment::fast_gradient_step(
          slope.narrow(0, 0, batch.tokens[0].tokens() + batch.tokens[1].tokens()),
          options_.fast_gradient);
      if (!wanted) {
        for (const size_t pass : plain) {
          for (at::Tensor& pooled : vectors[pass]) pooled = pooled.detach();
        }
      }
    }
    for (const size_t pass : adversarial) run(batch, {pass}, step, vectors, tokens);
  }

  // Some passes as one packed batch; returns their embeddings before the cutoffs. `step` [tokens of
  // one pass, hidden] is added to those, where given.
  at::Tensor run(const data::Batch& batch, const std::vector<size_t>& numbers,
                 const at::Tensor& step, Vectors& vectors, int64_t& tokens) {
    std::vector<View> packed;
    std::vector<at::Tensor> cuts;
    bool any_cut = false;
    for (const size_t number : numbers) {
      const TextView& pass = passes_[number];
      for (size_t column = 0; column < batch.tokens.size(); ++column) {
        const text::TokenBatch& texts = batch.tokens[column];
        const ViewStream stream{seed_, pass.purpose, static_cast<int64_t>(column), first_place_};
        DrawnView drawn = draw_view(pass.strategy, texts, batch, encoder_.hidden_size(), stream);
        packed.push_back({&texts,
                          static_cast<int64_t>(2 * number + column),
                          std::move(drawn.positions),
                          {},
                          encoder_.prompt().unpooled});
        any_cut = any_cut || drawn.cut.defined();
        cuts.push_back(
            drawn.cut.defined()
                ? drawn.cut
                : at::zeros({texts.tokens(), 1}, at::kBool).expand({-1, encoder_.hidden_size()}));
      }
    }
    const PackedViews texts(batch, packed);
    at::Tensor embedded = encoder_.embed(texts);  // [tokens, hidden]
    if (at::GradMode::is_enabled() && !embedded.requires_grad())
      embedded.requires_grad_(true);  // frozen embeddings have a slope too
    at::Tensor changed = step.defined() ? embedded + step : embedded;
    if (any_cut) changed = changed.masked_fill(at::cat(cuts).to(embedded.device()), 0);
    const at::Tensor pooled =
        encoder_.pool(encoder_.run_layers(changed, texts), texts);  // [texts of all passes, hidden]
    tokens += texts.tokens().tokens();
    for (size_t i = 0, view = 0; i < numbers.size(); ++i) {
      for (size_t column = 0; column < batch.tokens.size(); ++column, ++view) {
        vectors[numbers[i]].push_back(pooled.narrow(0, texts.first_text(view), texts.texts(view)));
      }
    }
    return embedded;
  }

  static std::string entry(size_t column, const char* what) {
    return cat(column == 0 ? "a." : "b.", what);
  }

  // The vectors of some columns' texts: rows of the first and of the second view.
  at::Tensor contrast(const Views& views, const std::vector<size_t>& columns,
                      objectives::Reduction reduction) {
    std::vector<at::Tensor> first, second, texts;
    const char* const clean_or_first =
        passes_.size() > 1 ? passes_[passes_.size() - 2].name : passes_.back().name;
    for (const size_t column : columns) {
      first.push_back(views[entry(column, clean_or_first)]);
      second.push_back(views[entry(column, passes_.back().name)]);
      texts.push_back(views[entry(column, "text")]);
    }
    objectives::NtXentOptions loss = options_.loss;
    loss.reduction = reduction;
    const at::Tensor ids =
        repeated_.masked(at::cat(texts), texts.front().size(0), loss.false_negatives);
    const at::Tensor a = at::cat(first), b = at::cat(second);
    return objectives::nt_xent(a, b, loss, ids.defined() ? at::cat({ids, ids}) : ids);
  }

  at::Tensor contrast(const Views& views) {
    if (!views.has("b.text")) return contrast(views, {0}, options_.loss.reduction);
    if (!options_.labelled() || options_.joint_cl == JointContrast::kMerged)
      return contrast(views, {0, 1}, options_.loss.reduction);
    const bool sum = options_.joint_cl == JointContrast::kPerSideSum;
    const auto side = [&](size_t column) {
      // Twice the mean: the two-sided form, which also exists for a one-sided loss.
      return contrast(views, {column}, objectives::Reduction::kMean) * (sum ? 2.0 : 0.5);
    };
    return side(0) + side(1);
  }

  ConsertOptions options_;
  uint64_t seed_;
  TunedEncoder encoder_;
  std::vector<objectives::PairFeature> features_;
  std::vector<TextView> passes_;  // each a pass of all texts through the encoder
  at::Tensor weight_,
      bias_;  // the classifier's, in labelled modes: [classes, blocks * hidden], [classes]
  std::vector<Parameter> parameters_;
  std::vector<std::string> remarks_;
  // The released code counts RoBERTa's shuffled positions from 0 instead of from the first
  // position's row; only its preset repeats that.
  int64_t first_place_ = 0;
  RepeatedTexts repeated_{"consert.false_negatives"};
};

}  // namespace

std::unique_ptr<Method> make_consert(const MethodContext& context) {
  return std::make_unique<Consert>(context, read_consert_options(context.config));
}

constexpr Paper kConsertPaper = {"ConSERT", "consert", R"(@inproceedings{yan2021consert,
  title = {{C}on{SERT}: A Contrastive Framework for Self-Supervised Sentence Representation Transfer},
  author = {Yan, Yuanmeng and Li, Rumei and Wang, Sirui and Zhang, Fuzheng and Wu, Wei and Xu, Weiran},
  booktitle = {Proceedings of the 59th Annual Meeting of the Association for Computational Linguistics and the 11th International Joint Conference on Natural Language Processing (Volume 1: Long Papers)},
  year = {2021},
  pages = {5065--5075},
  doi = {10.18653/v1/2021.acl-long.393},
}
)"};

MethodEntry consert_method() {
  return {"consert", make_consert, describe_consert,
          "the encoder tuned on augmented views of texts, alone or together with labelled pairs "
          "(ConSERT)",
          kConsertPaper};
}

}  // namespace contrastive::methods
