#include "core/train/trainer.h"

#include <ATen/TensorOperators.h>
#include <ATen/core/grad_mode.h>

#include <algorithm>
#include <cmath>

#include "core/base/error.h"
#include "core/base/log.h"
#include "core/train/gradients.h"
#include "core/train/trainer_state.h"

namespace contrastive::train {
namespace {

data::BatcherOptions batcher_options(const TrainOptions& options, const data::Dataset& data) {
  data::BatcherOptions result;
  result.examples = data.size();
  result.batch_size = options.batch_size;
  result.seed = static_cast<uint64_t>(options.seed);
  result.drop_last = options.last_batch == LastBatch::kDrop;
  return result;
}

std::string first_indices(const data::Batch& batch) {
  std::string text;
  for (size_t i = 0; i < batch.indices.size() && i < 8; ++i) text += (i == 0 ? "" : ", ") + std::to_string(batch.indices[i]);
  return text + (batch.indices.size() > 8 ? ", ..." : "");
}

}  // namespace

Trainer::State::State(std::shared_ptr<model::SentenceEncoder> model, std::shared_ptr<const data::Dataset> dataset, RunConfig run)
    : start(std::move(model)), data(std::move(dataset)), config(std::move(run)), stopping(config.options.early_stop, config.options.patience) {
  const TrainOptions& options = config.options;
  check(start != nullptr, Status::kArgument, "training needs a model");
  if (data != nullptr) {
    batcher.emplace(batcher_options(options, *data));
    check(!config.traits.needs_pairs || data->get(0).has_b, Status::kArgument, "method '", options.method,
          "' trains on pairs, but the dataset's first example has one text only");
  }
  plan = plan_run(config, batcher ? batcher->batches_per_epoch() : 0);
  if (!options.dev.empty()) dev = open_dev_set(options.dev, options.dev_task);
  methods::MethodContext context;
  context.start = start;
  context.config = config.user;
  context.seed = static_cast<uint64_t>(options.seed);
  context.cache_folder = options.cache;
  method = config.method->make(context);
  parameters = method->parameters();
  optimizer = make_optimizer(options.optimizer, parameters);
  if (dev == nullptr) log_info("no dev file: the last weights are kept, nothing is selected");
  publish();
}

bool Trainer::State::finished() const { return (plan.total_steps > 0 && step >= plan.total_steps) || stopping.exhausted(); }

// The batches of one update. The last update of an epoch takes what is left of it.
std::vector<data::Batch> Trainer::State::next_parts() {
  std::vector<data::Batch> parts;
  do {
    data::Batch batch;
    batch.indices = batcher->next();
    batch.epoch = batcher->epoch();
    batch.step = step;
    if (batcher->position() == 1) data->check_unchanged();
    for (const int64_t index : batch.indices) batch.examples.push_back(data->get(index));
    parts.push_back(std::move(batch));
  } while (static_cast<int64_t>(parts.size()) < config.options.accumulate && batcher->position() < batcher->batches_per_epoch());
  return parts;
}

// False, or kNumeric with everything needed to find the cause; the weights have not been touched yet.
bool Trainer::State::refuse_non_finite(const char* what, const data::Batch& batch) {
  const std::string culprit = first_bad_tensor(parameters);
  const std::string message =
      cat("the ", what, " of update ", step, " is not finite (learning rate ", metrics.get("lr"), ", examples ", first_indices(batch),
          "); the first bad tensor is ", culprit.empty() ? "none: weights and gradients are finite, the batch is to blame" : culprit);
  if (config.options.on_nan == OnNan::kSkip) {
    log_warning(message, "; the update is left out");
    return false;
  }
  clear_gradients(parameters);
  const std::string good = best.empty() ? "" : cat("; the best weights are those of update ", stopping.best_step());
  fail(Status::kNumeric, message, "; the weights are as they were before this update", good, ". Lower lr, or set on_nan = skip");
}

bool Trainer::State::accumulate_gradients(const std::vector<data::Batch>& parts) {
  std::map<std::string, double> sums;
  for (const data::Batch& batch : parts) {
    const methods::LossTerms terms = method->loss(batch);
    const double total = terms.total().item<double>();
    if (!std::isfinite(total) && !refuse_non_finite("loss", batch)) return false;
    const at::Tensor share = parts.size() == 1 ? terms.total() : terms.total() / static_cast<double>(parts.size());
    share.backward();
    sums["loss"] += total;
    for (const auto& [name, value] : terms.values) sums["loss." + name] += value.item<double>();
    sums["tokens"] += static_cast<double>(terms.tokens);
  }
  for (const auto& [name, sum] : sums) metrics.set(name, name == "tokens" ? sum : sum / static_cast<double>(parts.size()));
  const double norm = gradient_norm(parameters);
  metrics.set("grad_norm", norm);
  if (!std::isfinite(norm) && !refuse_non_finite("gradient", parts.back())) return false;
  if (config.options.clip_norm > 0) clip_gradients(parameters, norm, config.options.clip_norm);
  return true;
}

Status Trainer::State::update(const std::vector<data::Batch>& parts, const Stopwatch& watch) {
  const double lr = config.options.lr * schedule_factor(plan.schedule, step);
  metrics.set("lr", lr);
  clear_gradients(parameters);
  if (accumulate_gradients(parts)) {
    optimizer->step(lr);
  } else {
    ++skipped;
  }
  clear_gradients(parameters);
  ++step;
  int64_t samples = 0;
  for (const data::Batch& batch : parts) samples += batch.size();
  metrics.add_work(samples, static_cast<int64_t>(metrics.get("tokens")), watch.seconds());
  publish();
  const bool due = finished() || (plan.eval_every > 0 && step % plan.eval_every == 0);
  if (dev != nullptr && due) evaluate();
  const bool line = step % config.options.metrics_every == 0 || evaluated_at == step || finished();
  if (!config.options.metrics_file.empty() && line) metrics.append_to(config.options.metrics_file);
  return Status::kOk;
}

void Trainer::State::evaluate() {
  const eval::TextEncoder encoder{method->dimension(), [this](const std::vector<std::string_view>& texts, float* out) { method->embed(texts, out); }};
  const double score = dev->score(encoder);
  evaluated_at = step;
  if (stopping.offer(score, step)) best = copy_weights();
  log_info("update ", step, ": ", dev->measure(), " ", score, stopping.best_step() == step ? ", the best so far" : "");
  publish();
}

void Trainer::State::publish() {
  metrics.set("step", static_cast<double>(step));
  metrics.set("total_steps", static_cast<double>(plan.total_steps));
  metrics.set("steps_per_epoch", static_cast<double>(plan.steps_per_epoch));
  metrics.set("epoch", plan.steps_per_epoch > 0 ? static_cast<double>(step) / static_cast<double>(plan.steps_per_epoch) : 0);
  metrics.set("skipped", static_cast<double>(skipped));
  if (evaluated_at >= 0) metrics.set("dev", stopping.last());
  if (stopping.best_step() >= 0) {
    metrics.set("best_dev", stopping.best());
    metrics.set("best_step", static_cast<double>(stopping.best_step()));
  }
}

io::TensorMap Trainer::State::copy_weights() const {
  io::TensorMap weights;
  for (const auto& parameter : parameters) weights[parameter.name] = parameter.tensor.detach().clone();
  return weights;
}

void Trainer::State::set_weights(const io::TensorMap& weights) {
  const at::NoGradGuard no_grad;
  for (const auto& parameter : parameters) {
    const auto it = weights.find(parameter.name);
    check(it != weights.end(), Status::kMismatch, "the saved run has no weight '", parameter.name, "'");
    check(it->second.sizes() == parameter.tensor.sizes(), Status::kMismatch, "the saved weight '", parameter.name, "' is ", it->second.sizes(),
          ", not ", parameter.tensor.sizes());
    parameter.tensor.detach().copy_(it->second);
  }
}

std::shared_ptr<model::SentenceEncoder> Trainer::State::trained(bool best_ones) {
  if (!best_ones || best.empty()) return method->deliver();
  const io::TensorMap present = copy_weights();
  set_weights(best);
  try {
    auto result = method->deliver();
    set_weights(present);
    return result;
  } catch (...) {
    set_weights(present);
    throw;
  }
}

Trainer::Trainer(std::shared_ptr<model::SentenceEncoder> model, std::shared_ptr<const data::Dataset> data, const Config& config) {
  RunConfig run = read_run_config(config, data != nullptr);
  state_ = std::make_unique<State>(std::move(model), std::move(data), std::move(run));
}

Trainer::Trainer(std::unique_ptr<State> state) : state_(std::move(state)) {}
Trainer::~Trainer() = default;

Status Trainer::step(const Cancel* cancel) {
  State& s = *state_;
  check(s.data != nullptr, Status::kState, "this trainer has no dataset: train it batch by batch");
  if (s.finished()) return Status::kDone;
  throw_if_cancelled(cancel);
  if (!s.prepared) {
    s.method->prepare(s.data.get(), cancel);
    s.prepared = true;
    if (s.dev != nullptr && s.config.options.eval_at_start) s.evaluate();
  }
  const Stopwatch watch;
  const int64_t epoch = s.batcher->epoch(), position = s.batcher->position(), before = s.step;
  try {
    return s.update(s.next_parts(), watch);
  } catch (...) {
    // An update that was not made leaves the run where it was: the next call meets the same batch.
    if (s.step == before) s.batcher->restore(epoch, position);
    throw;
  }
}

Status Trainer::step_batch(const std::vector<data::Example>& examples) {
  State& s = *state_;
  check(!examples.empty(), Status::kArgument, "a batch without examples");
  check(!s.config.traits.in_batch_negatives || examples.size() > 1, Status::kArgument, "a batch of one example: method '", s.config.options.method,
        "' takes its negatives from the batch");
  if (s.finished()) return Status::kDone;
  if (!s.prepared) {
    s.method->prepare(s.data.get(), nullptr);
    s.prepared = true;
    if (s.dev != nullptr && s.config.options.eval_at_start) s.evaluate();
  }
  data::Batch batch;
  batch.examples = examples;
  batch.indices.assign(examples.size(), -1);
  batch.epoch = s.batcher ? s.batcher->epoch() : 0;
  batch.step = s.step;
  return s.update({batch}, Stopwatch());
}

void Trainer::evaluate() {
  check(state_->dev != nullptr, Status::kState, "there is no dev file to evaluate on: set config key 'dev'");
  state_->evaluate();
}

double Trainer::metric(const std::string& name) const { return state_->metrics.get(name); }
std::vector<std::string> Trainer::metric_names() const { return state_->metrics.names(); }
std::shared_ptr<model::SentenceEncoder> Trainer::trained(bool best) const { return state_->trained(best); }
void Trainer::save_best(const std::string& path) const { state_->trained(true)->save(path); }
Config Trainer::resolved_config() const { return state_->config.complete; }

void check_config(const Config& config) { read_run_config(config, true); }

}  // namespace contrastive::train
