#include "core/torch/tasks/glue/fine_tuner.h"

#include <ATen/TensorOperators.h>
#include <ATen/core/grad_mode.h>
#include <ATen/ops/cross_entropy_loss.h>
#include <ATen/ops/mse_loss.h>
#include <ATen/ops/tensor.h>

#include <algorithm>
#include <cmath>

#include "core/base/error.h"
#include "core/torch/tensors/cuda.h"
#include "core/torch/optim/gradients.h"
#include "core/torch/optim/optimizer_list.h"
#include "core/host/fp_environment.h"

namespace contrastive::eval {
namespace {

std::vector<optim::Parameter> with_decay(std::vector<optim::Parameter> parameters, bool all) {
  for (optim::Parameter& parameter : parameters) parameter.decay = parameter.decay || all;
  return parameters;
}

}  // namespace

FineTuneOptions::FineTuneOptions() {
  // fairseq's Adam: eps is added to the root of the uncorrected second moment; decoupled decay.
  // fairseq decays before the step instead of after it, a difference of the order of lr squared.
  optimizer = "adamw-hf";
  adam = {{0.9, 0.98}, 1e-6};
}

void FineTuneOptions::visit(OptionVisitor& v) {
  v.name("optimizer", optimizer, {"adam", "adamw", "adamw-hf"},
         OptionDoc("adamw is PyTorch's variant, adamw-hf that of transformers and fairseq")
             .source("RoBERTa"));
  v.real("weight_decay", weight_decay, between(0, 10),
         OptionDoc("weight decay, decoupled (adam: as L2 in the gradient)").source("RoBERTa: 0.1"));
  v.flag(
      "decay_all", decay_all,
      OptionDoc("biases and LayerNorm weights decay too").source("fairseq: on; Hugging Face: off"));
  v.numbers("betas", adam.betas, {0, 1, false, true},
            OptionDoc("decay rates of adam's two moments").source("RoBERTa: 0.9, 0.98"));
  v.real("eps", adam.eps, above(0, 1),
         OptionDoc("added to the root of adam's second moment").source("RoBERTa: 1e-6"));
  v.real("clip_norm", clip_norm, between(0, 1e9),
         OptionDoc("maximum norm of the gradient; 0 = no limit")
             .source("RoBERTa: none; Hugging Face: 1"));
  v.choice("schedule", schedule,
           {{"constant", optim::Schedule::kConstant},
            {"warmup-linear", optim::Schedule::kWarmupLinear},
            {"warmup-cosine", optim::Schedule::kWarmupCosine},
            {"fairseq-linear", optim::Schedule::kFairseqLinear}},
           OptionDoc("schedule of the learning rate").source("RoBERTa: fairseq-linear"));
  v.nested("", classifier);
}

optim::OptimizerOptions FineTuneOptions::resolved_optimizer() const {
  return {optimizer, weight_decay, dump_options(adam)};
}

FineTuner::FineTuner(SequenceClassifier& classifier, bool regression,
                     const FineTuneOptions& options, double lr, int64_t warmup, int64_t total)
    : classifier_(classifier), regression_(regression), clip_norm_(options.clip_norm), lr_(lr),
      parameters_(with_decay(classifier.parameters(), options.decay_all)) {
  tensors::load_cuda_before_backward();
  schedule_.kind = options.schedule;
  schedule_.warmup = warmup;
  schedule_.total = total;
  optimizer_ = optim::make_optimizer(options.resolved_optimizer(), parameters_);
}

double FineTuner::next_lr() const {
  return lr_ * optim::schedule_factor(schedule_, optimizer_->steps());
}

at::Tensor FineTuner::loss(const at::Tensor& outputs, const std::vector<double>& targets) const {
  const at::Tensor wanted = at::tensor(targets, at::TensorOptions().dtype(at::kDouble));
  if (regression_) return at::mse_loss(outputs.squeeze(1), wanted.to(outputs.device(), at::kFloat));
  return at::cross_entropy_loss(outputs, wanted.to(outputs.device(), at::kLong));
}

double FineTuner::update(const text::TokenBatch& batch, const std::vector<double>& targets,
                         const std::vector<uint64_t>& examples, uint64_t epoch) {
  TORCH_CHECK(static_cast<int64_t>(targets.size()) == batch.texts() &&
                  examples.size() == targets.size(),
              "one target and number for each text");
  const host::FpEnvironment environment;
  const at::AutoGradMode with_gradient(true);
  const int64_t number = optimizer_->steps();
  const auto refuse = [&](const char* what) {
    optim::clear_gradients(parameters_);
    fail(Status::kNumeric, "the ", what, " of update ", number, " is not finite (learning rate ",
         next_lr(), "): lower lr, or set clip_norm");
  };
  const at::Tensor total = loss(classifier_.forward(batch, examples, epoch), targets);
  const double value = total.item<double>();
  if (!std::isfinite(value)) refuse("loss");
  total.backward();
  const double norm = optim::gradient_norm(parameters_);
  if (!std::isfinite(norm)) refuse("gradient");
  optimizer_->step(next_lr(), clip_norm_ > 0 ? std::min(1.0, clip_norm_ / (norm + 1e-6)) : 1.0);
  optim::clear_gradients(parameters_);
  return value;
}

}  // namespace contrastive::eval
