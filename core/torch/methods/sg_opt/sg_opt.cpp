#include "core/torch/methods/sg_opt/sg_opt.h"

#include <ATen/TensorOperators.h>
#include <ATen/ops/cat.h>
#include <ATen/ops/empty.h>

#include <algorithm>

#include "core/base/error.h"
#include "core/torch/tensors/select_rows.h"
#include "core/torch/methods/dense_head.h"
#include "core/torch/methods/repeated_texts.h"
#include "core/torch/methods/sg_opt/layer_sampler.h"
#include "core/torch/methods/sg_opt/layer_views.h"
#include "core/torch/nn/torch_encoder.h"
#include "core/torch/methods/sg_opt/l2_anchor.h"
#include "core/torch/methods/sg_opt/sg_opt_loss.h"

namespace contrastive::methods {
namespace {

// The numbers of the random streams: texts a and b in the tuned encoder, then in the one that gives
// the views.
constexpr int64_t kTeacherView = 2;

class SgOpt : public EncoderMethod {
 public:
  SgOpt(const MethodContext& context, const SgOptOptions& options)
      : options_(options), seed_(context.seed), encoder_(context, options.encoder),
        views_(context.start, options.view_pooling, options.lmin, options.lmax),
        sampler_(views_.layers(), options.sampler_weights(), context.seed) {
    const int64_t width = encoder_.hidden_size(), head = options.head_width;
    if (options.mlp) {
      const double deviation = encoder_.shape().initializer_range;
      head_ = DenseHead("head", {{width, head, "gelu"}, {head, head, "gelu"}}, deviation, seed_,
                        encoder_.encoder().device());
    }
    // Weights that do not train (the embeddings and the pooler) never change: their part of the
    // distance is 0.
    std::map<std::string, at::Tensor> start;
    for (const auto& [name, tensor] : nn::trainable(context.start->encoder()).named_parameters())
      start[name] = tensor.detach();
    if (!encoder_.adapters().empty()) return;
    for (const Parameter& parameter : encoder_.parameters()) {
      weights_.push_back(parameter.tensor);
      starts_.push_back(start.at(parameter.name));
    }
  }

  void tokenize(data::Batch& batch) const override { encoder_.tokenize_columns(batch); }

  Views views(const data::Batch& batch) override {
    if (batch.tokens.empty()) {
      data::Batch tokenized = batch;
      tokenize(tokenized);
      return views(tokenized);
    }
    const bool pairs = batch.tokens.size() == 2;
    check(pairs || !options_.takes_back_translations(), Status::kArgument,
          "sgopt.objective with back-translations needs pairs, but example ",
          random_example(batch, 0), " has one text only");
    switch (options_.objective) {
      case SgObjective::kBt: return guided(batch, {0, 1}, {});
      case SgObjective::kBtSgOpt: return guided(batch, {0}, {1});
      case SgObjective::kSg:
      case SgObjective::kOpt1:
      case SgObjective::kOpt2:
      case SgObjective::kSgOpt:
        return pairs ? guided(batch, {0, 1}, {0, 1}) : guided(batch, {0}, {0});
    }
    TORCH_CHECK(false, "unknown objective ", static_cast<int>(options_.objective));
  }

  LossTerms compare(const Views& views, const data::Batch&) override {
    const at::Tensor contrastive = contrast(views);
    LossTerms terms;
    if (options_.lambda == 0) {
      terms.values.emplace_back("contrastive", contrastive);
      return terms;
    }
    const at::Tensor anchor =
        weights_.empty() ? encoder_.adapters().squared_norm() : l2_anchor(weights_, starts_);
    terms.values.emplace_back("total", contrastive + anchor * options_.lambda);
    terms.values.emplace_back("contrastive", contrastive);
    terms.values.emplace_back("anchor", anchor);
    return terms;
  }

  std::vector<Parameter> parameters() const override {
    std::vector<Parameter> all = encoder_.parameters();
    all.insert(all.end(), head_.parameters().begin(), head_.parameters().end());
    return all;
  }
  bool trains_encoder() const override { return true; }
  int64_t dimension() const override { return encoder_.dimension(); }
  void embed(const std::vector<std::string_view>& texts, float* embeddings,
             const Cancel* cancel) override {
    encoder_.embed_texts(texts, embeddings, cancel);
  }
  std::shared_ptr<model::Model> result(const tensors::TorchTensorMap& weights) const override {
    return encoder_.deliver(weights);
  }

 private:
  // Sentence vectors of the text columns `tuned`, "a.tuned", then views of the columns `teaching`,
  // "a.taught", then ids of the former, "a.text": each [examples, ...].
  Views guided(const data::Batch& batch, const std::vector<size_t>& tuned,
               const std::vector<size_t>& teaching) const {
    std::vector<View> students, teachers;
    for (const size_t column : tuned)
      students.push_back({&batch.tokens[column],
                          static_cast<int64_t>(column),
                          {},
                          {},
                          encoder_.prompt().unpooled});
    for (const size_t column : teaching) {
      teachers.push_back({&batch.tokens[column],
                          kTeacherView + static_cast<int64_t>(column),
                          {},
                          {},
                          encoder_.prompt().unpooled});
    }
    const PackedViews packed(batch, students);
    const at::Tensor c = encoder_.forward(packed);  // [texts, hidden]
    Views views;
    for (size_t i = 0; i < students.size(); ++i) {
      views.vectors.push_back(
          {name(tuned[i], ".tuned"), c.narrow(0, packed.first_text(i), packed.texts(i))});
    }
    views.tokens = packed.tokens().tokens();
    if (!teachers.empty()) {
      const PackedViews packed_teachers(batch, teachers);
      const at::Tensor h = layer_views(packed_teachers);  // [texts, layers, hidden]
      for (size_t i = 0; i < teachers.size(); ++i) {
        const at::Tensor column =
            h.narrow(0, packed_teachers.first_text(i), packed_teachers.texts(i));
        const at::Tensor taught = options_.samples_layers()
                                      ? sampled(column, batch, static_cast<int64_t>(teaching[i]))
                                      : column;
        views.vectors.push_back({name(teaching[i], ".taught"), taught});
      }
      views.tokens += packed_teachers.tokens().tokens();
    }
    for (size_t i = 0; i < students.size(); ++i)
      views.vectors.push_back({name(tuned[i], ".text"), text_identities(*students[i].tokens)});
    return views;
  }
  static std::string name(size_t column, const char* what) {
    return (column == 0 ? "a" : "b") + std::string(what);
  }

  at::Tensor layer_views(const PackedViews& texts) const {
    if (options_.teacher == SgTeacher::kShared) {
      const bool dropout = options_.teacher_dropout;
      return views_.pool(encoder_.run_layers(encoder_.embed(texts, dropout), texts, dropout),
                         texts);
    }
    return options_.teacher_dropout ? views_.with_dropout(texts, seed_) : views_(texts);
  }

  // One layer a sentence: [examples, layers, hidden] -> [examples, hidden].
  at::Tensor sampled(const at::Tensor& h, const data::Batch& batch, int64_t column) const {
    const at::Tensor picked = at::empty({h.size(0)}, at::kLong);
    for (int64_t i = 0; i < h.size(0); ++i) {
      picked.mutable_data_ptr<int64_t>()[i] =
          i * h.size(1) + sampler_.draw(random_epoch(batch), random_example(batch, i), column);
    }
    return tensors::select_rows(h.reshape({-1, h.size(2)}), picked.to(h.device()));
  }

  // f of the paper, over the last dimension.
  at::Tensor project(const at::Tensor& x) const {
    return head_(x.reshape({-1, x.size(-1)})).reshape(projected_shape(x));
  }
  std::vector<int64_t> projected_shape(const at::Tensor& x) const {
    std::vector<int64_t> shape = x.sizes().vec();
    shape.back() = -1;
    return shape;
  }

  at::Tensor contrast(const Views& views) {
    objectives::NtXentOptions nt_xent;
    nt_xent.temperature = options_.temperature;
    nt_xent.false_negatives = options_.false_negatives;
    if (options_.objective == SgObjective::kBt) {
      const at::Tensor texts = at::cat({views["a.text"], views["b.text"]});
      const at::Tensor ids =
          repeated_.masked(texts, views["a.text"].size(0), options_.false_negatives);
      return objectives::nt_xent(project(views["a.tuned"]), project(views["b.tuned"]), nt_xent,
                                 ids);
    }
    // The two columns of pairs are treated as sentences.
    const auto all = [&](const std::string& what) {
      const bool a = views.has("a" + what), b = views.has("b" + what);
      return a && b ? at::cat({views["a" + what], views["b" + what]})
                    : views[(a ? "a" : "b") + what];
    };
    const at::Tensor c = project(all(".tuned")), h = project(all(".taught"));
    const at::Tensor ids =
        repeated_.masked(all(".text"), views["a.text"].size(0), options_.false_negatives);
    switch (options_.objective) {
      case SgObjective::kSg:
        return objectives::nt_xent(c, h, nt_xent, ids.defined() ? at::cat({ids, ids}) : ids);
      case SgObjective::kOpt1: return sg_opt1(c, h, options_.temperature, ids);
      case SgObjective::kOpt2:
        return sg_opt2(c, h, options_.temperature, options_.opt2_drop_first, ids);
      case SgObjective::kSgOpt:
      case SgObjective::kBtSgOpt: return sg_opt3(c, h, options_.temperature, ids);
      case SgObjective::kBt: break;  // answered above
    }
    TORCH_CHECK(false, "unknown objective ", static_cast<int>(options_.objective));
  }

  SgOptOptions options_;
  uint64_t seed_;
  TunedEncoder encoder_;
  LayerViews views_;
  LayerSampler sampler_;
  DenseHead head_;
  std::vector<at::Tensor> weights_,
      starts_;  // of the encoder, in the same order; empty with adapters
  RepeatedTexts repeated_{"sgopt.false_negatives"};
};

}  // namespace

std::unique_ptr<Method> make_sg_opt(const MethodContext& context) {
  return std::make_unique<SgOpt>(
      context, SgOptOptions::read(context.config).fitted(context.config, context.start->shape()));
}

constexpr Paper kSgOptPaper = {"SG-OPT", "sg-opt", R"(@inproceedings{kim2021self,
  title = {Self-Guided Contrastive Learning for {BERT} Sentence Representations},
  author = {Kim, Taeuk and Yoo, Kang Min and Lee, Sang-goo},
  booktitle = {Proceedings of the 59th Annual Meeting of the Association for Computational Linguistics and the 11th International Joint Conference on Natural Language Processing (Volume 1: Long Papers)},
  year = {2021},
  pages = {2528--2540},
  doi = {10.18653/v1/2021.acl-long.197},
}
)"};

MethodEntry sg_opt_method() {
  return {"sgopt", make_sg_opt, describe_sg_opt,
          "the encoder on single texts, guided by the layers of a frozen copy of itself (SG-OPT)",
          kSgOptPaper};
}

}  // namespace contrastive::methods
