// One update of a run: gradients, the optimiser's step, and what follows from it (metrics, a look at the vectors, dev evaluation, checkpoints).
#include <algorithm>
#include <cmath>
#include <optional>

#include "core/base/error.h"
#include "core/base/log.h"
#include "core/optim/gradients.h"
#include "core/train/kept_checkpoints.h"
#include "core/train/trainer_state.h"

namespace contrastive::train {
namespace {

std::string first_indices(const data::Batch& batch) {
  std::string text;
  for (size_t i = 0; i < batch.indices.size() && i < 8; ++i) text += (i == 0 ? "" : ", ") + std::to_string(batch.indices[i]);
  return text + (batch.indices.size() > 8 ? ", ..." : "");
}

}  // namespace

bool Trainer::State::finished() const { return (plan.total_steps > 0 && step >= plan.total_steps) || stopping.exhausted(); }

void Trainer::State::prepare(const Cancel* cancel) {
  if (prepared) return;
  method->prepare(data.get(), cancel);
  prepared = true;
  if (dev != nullptr && config.options.eval_at_start) evaluate();
}

// Returns, where the update is to be left out, or throws kNumeric with everything needed to find the cause; the weights have not been touched yet.
void Trainer::State::refuse_non_finite(const char* what, const data::Batch& batch) {
  const std::string culprit = optim::first_bad_tensor(parameters);
  const std::string message =
      cat("the ", what, " of update ", step, " is not finite (learning rate ", metrics.get("lr"), ", examples ", first_indices(batch),
          "); the first bad tensor is ", culprit.empty() ? "none: weights and gradients are finite, the batch is to blame" : culprit);
  if (config.options.on_nan == OnNan::kSkip) {
    log_warning(message, "; the update is left out");
    return;
  }
  optim::clear_gradients(parameters);
  const std::string good = best.empty() ? "" : cat("; the best weights are those of update ", stopping.best_step());
  fail(Status::kNumeric, message, "; the weights are as they were before this update", good, ". Lower lr, or set on_nan = skip");
}

// What the gradients are to be multiplied with; nothing where the update is to be left out. An overflow of float16 is met by a smaller loss scale and
// another try.
std::optional<double> Trainer::State::fill_gradients(const Update& update) {
  for (;;) {
    optim::clear_gradients(parameters);
    const PassResult result = pass->run(update, scaler.scale());
    if (result.bad_part) {
      refuse_non_finite("loss", update.parts[*result.bad_part]);
      return std::nullopt;
    }
    const double norm = optim::gradient_norm(parameters) / scaler.scale();
    if (!std::isfinite(norm) && scaler.enabled() && scaler.shrink()) continue;
    metrics.set("loss", result.terms.front().second);
    for (const auto& [name, value] : result.terms) metrics.set("loss." + name, value);
    metrics.set("tokens", static_cast<double>(result.tokens));
    metrics.set("grad_norm", norm);
    if (!std::isfinite(norm)) {
      refuse_non_finite("gradient", update.parts.back());
      return std::nullopt;
    }
    const double unscaled = 1 / scaler.scale();
    scaler.succeeded();
    look_at_views(result.views);
    return unscaled * (config.options.clip_norm > 0 ? optim::clip_factor(norm, config.options.clip_norm) : 1);
  }
}

void Trainer::State::look_at_views(const methods::Views& views) {
  if (config.options.watch_every == 0 || step % config.options.watch_every != 0) return;
  const auto geometry = measure(views);
  if (!geometry) return;
  metrics.set("view.alignment", geometry->alignment);
  metrics.set("view.uniformity", geometry->uniformity);
  metrics.set("view.mean_cosine", geometry->mean_cosine);
  metrics.set("view.effective_rank", geometry->effective_rank);
  watch.look(*geometry, step);
  metrics.set("collapsed", watch.collapsed() ? 1 : 0);
}

Status Trainer::State::update(const Update& update, const Stopwatch& stopwatch) {
  const double lr = config.options.lr * optim::schedule_factor(plan.schedule, step);
  metrics.set("lr", lr);
  if (config.traits.in_batch_negatives && update.examples() == 1 && !single_warned) {
    single_warned = true;
    log_warning("a last batch of one example has no negatives: its loss and gradient are 0 (last_batch = drop leaves it out)");
  }
  if (const auto gradient_scale = fill_gradients(update)) {
    optimizer->step(lr, *gradient_scale);
  } else {
    ++skipped;
  }
  optim::clear_gradients(parameters);
  ++step;
  const double tokens = metrics.get("tokens");  // NaN where the very first update was left out
  metrics.add_work(update.examples(), std::isnan(tokens) ? 0 : static_cast<int64_t>(tokens), stopwatch.seconds());
  publish();
  const bool due = finished() || (plan.eval_every > 0 && step % plan.eval_every == 0);
  if (dev != nullptr && due) evaluate();
  if (step % config.options.metrics_every == 0 || evaluated_at == step || finished()) files->append(metrics);
  save_automatically();
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
  if (stages.staged()) metrics.set("stage", static_cast<double>(stage + 1));
  if (scaler.enabled()) {
    metrics.set("loss_scale", scaler.scale());
    metrics.set("loss_scale_retries", static_cast<double>(scaler.retries()));
  }
  if (evaluated_at >= 0) metrics.set("dev", stopping.last());
  if (stopping.best_step() >= 0) {
    metrics.set("best_dev", stopping.best());
    metrics.set("best_step", static_cast<double>(stopping.best_step()));
  }
}

// A checkpoint that cannot be written does not end the run: the weights in memory are worth more, and the caller may still save elsewhere.
void Trainer::State::save_automatically() {
  if (config.options.checkpoints.empty()) return;
  const bool due = finished() || (config.options.save_every > 0 && step % config.options.save_every == 0);
  const bool better = evaluated_at == step && stopping.best_step() == step;
  try {
    // Every stage counts its updates from 0, and so keeps its own.
    const std::string folder = config.options.checkpoints + (stages.staged() ? cat("/stage", stage + 1) : "");
    prepare_checkpoints(folder);
    if (better) trained(true)->save(best_checkpoint_path(folder));
    if (!due) return;
    save(checkpoint_path(folder, step));
    drop_old_checkpoints(folder, config.options.keep);
  } catch (const std::exception& error) {
    metrics.set("failed_saves", static_cast<double>(++failed_saves));
    log_warning("the checkpoint of update ", step, " was not written, and the run goes on: ", error.what());
  }
}

}  // namespace contrastive::train
