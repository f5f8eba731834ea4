// A method that is small enough to verify manually: one vector per text from the tiny encoder, with
// dropout, in-batch NT-Xent, a mean over single texts, and a projection that compare() owns.
#pragma once

#include <ATen/TensorOperators.h>
#include <ATen/ops/eye.h>
#include <ATen/ops/linear.h>

#include <memory>

#include "core/torch/methods/tuned_encoder.h"
#include "core/torch/objectives/nt_xent.h"
#include "tests/core/torch/run/toy.h"

namespace contrastive {

class ToyMethod : public methods::EncoderMethod {
 public:
  explicit ToyMethod(const methods::MethodContext& context,
                     const methods::TunedEncoderOptions& options = {})
      : encoder_(context, options) {
    projection_ =
        at::eye(encoder_.hidden_size(), at::TensorOptions().device(encoder_.encoder().device()))
            .requires_grad_(true);
  }

  void tokenize(data::Batch& batch) const override { encoder_.tokenize_columns(batch); }

  methods::Views views(const data::Batch& batch) override {
    ++passes;
    data::Batch own = batch;
    if (own.tokens.empty()) tokenize(own);
    const methods::PackedViews packed(own, {{&own.tokens[0], 0}, {&own.tokens[1], 1}});
    const at::Tensor rows = encoder_.forward(packed);  // [2n, hidden]
    const int64_t n = batch.size();
    const at::Tensor a = rows.narrow(0, 0, n), b = rows.narrow(0, n, n);
    seen_type = rows.scalar_type();
    return {{{"a", a}, {"b", b}},
            {{"size", (a * a).sum(), static_cast<double>(n)}},
            own.tokens[0].tokens() + own.tokens[1].tokens()};
  }

  methods::LossTerms compare(const methods::Views& views, const data::Batch& batch) override {
    compared_type = views["a"].scalar_type();
    compared_rows = views["a"].size(0);
    TORCH_CHECK(compared_rows == batch.size(), "the batch is not the views'");
    objectives::NtXentOptions options;
    const at::Tensor contrastive =
        objectives::nt_xent(at::linear(views["a"], projection_),
                            at::linear(views["b"], projection_), options);
    const at::Tensor size = views.means[0].sum / views.means[0].count;
    methods::LossTerms terms;
    terms.values = {{"total", (contrastive + 0.01 * size) * factor},
                    {"contrastive", contrastive},
                    {"size", size}};
    return terms;
  }

  std::vector<methods::Parameter> parameters() const override {
    std::vector<methods::Parameter> parameters = encoder_.parameters();
    parameters.push_back({"projection", projection_});
    return parameters;
  }
  bool trains_encoder() const override { return true; }
  int64_t dimension() const override { return encoder_.dimension(); }
  void embed(const std::vector<std::string_view>& texts, float* out,
             const Cancel* cancel) override {
    encoder_.embed_texts(texts, out, cancel);
  }
  std::shared_ptr<model::Model> result(const tensors::TorchTensorMap& weights) const override {
    return encoder_.deliver(weights);
  }

  int passes = 0;
  double factor = 1;
  at::ScalarType seen_type = at::kFloat, compared_type = at::kFloat;
  int64_t compared_rows = 0;

 private:
  methods::TunedEncoder encoder_;
  at::Tensor projection_;
};

inline std::unique_ptr<ToyMethod> toy_method(bool checkpointing = false) {
  methods::MethodContext context;
  context.start = tiny_model();
  context.gradient_checkpointing = checkpointing;
  return std::make_unique<ToyMethod>(context);
}

}  // namespace contrastive
