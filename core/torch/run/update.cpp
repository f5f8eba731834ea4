// One update of a run: gradients, the optimiser's step, and what follows from it (metrics, a look
// at the vectors, dev evaluation, checkpoints).
#include <algorithm>
#include <cmath>
#include <limits>
#include <optional>
#include <utility>

#include "core/base/affixes.h"
#include "core/base/error.h"
#include "core/base/log.h"
#include "core/io/card_text.h"
#include "core/torch/optim/gradients.h"
#include "core/runtime/host_call.h"
#include "core/torch/run/kept_checkpoints.h"
#include "core/torch/run/trainer_state.h"

namespace contrastive::run {
namespace {

// Places in the dataset; of a caller's batch, which has none, in the update.
std::string first_examples(const data::Batch& batch) {
  std::string text;
  for (size_t i = 0; i < batch.indices.size() && i < 8; ++i) {
    const int64_t index = batch.indices[i];
    text += (i == 0 ? "" : ", ") +
            std::to_string(index >= 0 ? index : batch.first_row + static_cast<int64_t>(i));
  }
  return text + (batch.indices.size() > 8 ? ", ..." : "");
}

// All vectors that were compared, in words: how large their numbers are, and how many are none.
std::string magnitudes(const methods::Views& views) {
  double largest = 0;
  int64_t numbers = 0, not_finite = 0;
  for (const auto& [name, vectors] : views.vectors) {
    if (!vectors.is_floating_point() || vectors.numel() == 0) continue;
    const at::Tensor sizes = vectors.detach().abs(),
                     bad = sizes.lt(std::numeric_limits<double>::infinity())
                               .logical_not();  // NaN is below nothing
    largest = std::max(largest, sizes.masked_fill(bad, 0).max().item<double>());
    numbers += sizes.numel();
    not_finite += bad.sum().item<int64_t>();
  }
  return cat("largest finite absolute value of a vector ", largest, ", ", not_finite,
             " of the vectors' ", numbers, " numbers not finite");
}

// ", temperature 0.05", or what the method has in its place; "" for a method with neither.
std::string temperature_of(const RunConfig& task) {
  for (const char* key : {"temperature", "scale"}) {
    if (const Json* value = task.complete.find(task.options.method + "." + key))
      return cat(", ", key, " ", dump_ascii(*value));
  }
  return "";
}

}  // namespace

bool TrainingRun::State::finished() const {
  return (plan.total_steps > 0 && step >= plan.total_steps) || stopping.exhausted();
}

void TrainingRun::State::prepare(const Cancel* cancel) {
  if (prepared) return;
  bool cancelled = false;
  try {
    method->prepare(data.get(), cancel);
  } catch (const Error& error) {
    if (world == nullptr || error.status() != Status::kCancelled) throw;
    cancelled = true;
  }
  if (world != nullptr) {  // each takes its time
    world->meet("to prepare the run");
    Cancel own;
    if (cancelled) own.trigger();
    agree(&own);
  }
  prepared = true;
  unsettled = config.options.eval_at_start;
  settle(cancel);
}

// Evaluations where they are due, the records, the checkpoints. An evaluation that is cancelled, or
// fails, leaves the run as it was before it: the next call, of a resumed run too, begins with it
// anew, and the choice of the best weights is that of a run which nobody stopped.
void TrainingRun::State::settle(const Cancel* cancel) {
  if (!unsettled) return;
  agree(cancel);
  if (step == 0) {
    evaluate(true, config.options.evaluate_every == 0, cancel);
    unsettled = false;
    return;
  }
  evaluate_where_due(cancel);
  unsettled = false;
  if (step % config.options.metrics_every == 0 || evaluated_at == step || finished()) record();
  save_automatically();
}

// Returns, where the update is to be left out, or throws kNumeric with everything needed to find
// the cause; the weights have not been touched yet.
void TrainingRun::State::refuse_non_finite(const char* what, const data::Batch& batch,
                                           const methods::Views& views) {
  const std::string culprit = optim::first_bad_tensor(parameters);
  const std::string message =
      cat("the ", what, " of update ", step, " is not finite (learning rate ", metrics.get("lr"),
          temperature_of(config.task(static_cast<size_t>(batch.task))), ", ", magnitudes(views),
          ", ", config.tasks() > 1 ? cat("task ", batch.task + 1, ", ") : std::string(),
          "examples ", first_examples(batch), "); the first bad tensor is ",
          culprit.empty() ? "none: weights and gradients are finite, but large after updates with "
                            "a high lr, or this batch is odd"
                          : culprit);
  if (config.options.on_nan == OnNan::kSkip) {
    log_warning(message, "; the update is left out");
    return;
  }
  optim::clear_gradients(parameters);
  const std::string good =
      best.empty() ? "" : cat("; the best weights are those of update ", stopping.best_step());
  const std::string newest =
      config.options.checkpoints.empty() ? "" : newest_checkpoint(config.options.checkpoints);
  fail(Status::kNumeric, message, "; the weights are as they were before this update", good,
       newest.empty() ? "" : "; the newest checkpoint is " + newest,
       ". Lower lr, or set on_nan = skip");
}

// What the gradients are to be multiplied with; nothing where the update is to be left out.
std::optional<double> TrainingRun::State::fill_gradients(const Update& update,
                                                         int64_t& truncated_texts) {
  const PassResult result = pass->run(update, scaler, parameters);
  truncated_texts = result.truncated;
  if (result.bad_part) {
    for (const std::string& name : metrics.names()) {  // they would be those of the update before
      const bool of_update =
          name == "loss" || name == "grad_norm" || name == "tokens" || name.rfind("loss.", 0) == 0;
      if (of_update) metrics.set(name, std::numeric_limits<double>::quiet_NaN());
    }
    refuse_non_finite("loss", update.compared()[*result.bad_part], result.views);
    return std::nullopt;
  }
  metrics.set("loss", result.terms.front().second);
  for (const auto& [name, value] : result.terms) {
    // An update has the losses of the tasks that it is of.
    if (config.tasks() > 1) metrics.measure("loss." + name, value);
    else metrics.set("loss." + name, value);
  }
  metrics.set("tokens", static_cast<double>(result.tokens));
  metrics.set("grad_norm", result.gradient_norm);
  if (!std::isfinite(result.gradient_norm)) {
    refuse_non_finite("gradient", update.compared().front(), result.views);
    return std::nullopt;
  }
  const double unscaled = 1 / scaler.scale();
  scaler.succeeded();
  look_at_views(result.views);
  return unscaled * (config.options.clip_norm > 0
                         ? optim::clip_factor(result.gradient_norm, config.options.clip_norm)
                         : 1);
}

void TrainingRun::State::look_at_views(const methods::Views& views) {
  const int64_t every = config.options.watch_every;
  if (config.traits.gives != methods::Gives::kVectors || every == 0 ||
      (step % every != 0 && step + 1 != plan.total_steps))
    return;
  const auto geometry = measure(views);
  if (!geometry) return;
  metrics.measure("view.alignment", geometry->alignment);
  metrics.measure("view.uniformity", geometry->uniformity);
  metrics.measure("view.mean_cosine", geometry->mean_cosine);
  metrics.measure("view.effective_rank", geometry->effective_rank);
  metrics.measure("view.zero_vectors", static_cast<double>(geometry->zero_vectors));
  watch.look(*geometry, step);
  metrics.measure("collapsed", watch.collapsed() ? 1 : 0);
}

Status TrainingRun::State::update(const Update& update, const Stopwatch& stopwatch,
                                  const Cancel* cancel) {
  optimizer->check_whole();
  const double lr = config.options.lr * optim::schedule_factor(plan.schedule, step);
  metrics.set("lr", lr);
  warn_of_single(update);
  int64_t truncated_texts = 0;
  if (const auto gradient_scale = fill_gradients(update, truncated_texts)) {
    optimizer->step(lr, *gradient_scale);
  } else {
    ++skipped;
  }
  ++step;  // from here on the update is made, whatever fails
  if (!std::exchange(updated, true)) runtime::end_calls_at_exit();
  runtime::renew_end_of_calls();
  unsettled = true;
  optim::clear_gradients(parameters);
  count_truncated(truncated_texts);
  const double tokens = metrics.get("tokens");  // NaN where the update was left out for its loss
  metrics.add_work(update.examples(), std::isnan(tokens) ? 0 : static_cast<int64_t>(tokens),
                   stopwatch.seconds());
  publish();
  settle(cancel);
  return Status::kOk;
}

// Texts that were longer than the method takes. Said once, with the key that cut them.
void TrainingRun::State::count_truncated(int64_t texts) {
  const int64_t before = truncated;
  truncated += texts;
  if (truncated == 0 || before > 0) return;
  log_warning(truncated, " texts of update ", step - 1, " are longer than ",
              config.tasks() > 1 ? "its task's '" : "'",
              config.tasks() > 1 ? "<method>" : config.options.method,
              ".max_length' and were cut; metric 'truncated' counts them");
}

// Examples that meet no others where the method takes its negatives from the batch. Said once, with
// the cause: the data, or the cut into batches.
void TrainingRun::State::warn_of_single(const Update& update) {
  if (single_warned) return;
  const auto single = [this](const data::Batch& compared) {
    return config.task(static_cast<size_t>(compared.task)).traits.in_batch_negatives &&
           compared.size() == 1 && compared.examples.front().negatives.empty();
  };
  const bool across = !update.whole.examples.empty();
  const bool found = across
                         ? single(update.whole)
                         : std::any_of(update.compared().begin(), update.compared().end(), single);
  if (!found) return;
  single_warned = true;
  if (data != nullptr && data->size() == 1) {
    log_warning("the run trains on one example",
                config.options.few_shot == 1 ? " (few_shot = 1)" : "",
                ", which has no others for negatives: its ",
                "contrastive loss and gradient are 0, and it teaches nothing");
  } else {
    log_warning("a batch of one example, an epoch's last, has no negatives: its contrastive loss "
                "and gradient are 0 (last_batch = drop leaves it ",
                "out)");
  }
}

void TrainingRun::State::evaluate_where_due(const Cancel* cancel) {
  const int64_t every = config.options.evaluate_every;
  const bool last = finished(), due = last || plan.evaluation_due(step),
             tasks_due = every > 0 ? last || step % every == 0 : due;
  if (due || tasks_due) evaluate(due, tasks_due, cancel);
  if (finished() && !tasks_due)
    evaluate(false, true, cancel);  // the dev file has just ended the run
}

// On the dev file and of the tasks, where the run has them. Nothing here moves a weight: the tasks
// see the model that would be delivered now. All figures are there before the first is kept.
void TrainingRun::State::evaluate(bool on_dev, bool on_tasks, const Cancel* cancel) {
  on_dev = on_dev && dev != nullptr;
  on_tasks = on_tasks && !tasks.empty();
  if (!on_dev && !on_tasks) return;
  optimizer->check_whole();
  const std::string& select = config.options.dev_select;
  const auto figures = measured(on_dev, on_tasks, cancel);
  const bool chosen_by_task = select != TrainOptions::kDevFile;
  evaluated_at = step;
  for (const auto& [name, value] : figures) {
    metrics.measure(name, value);
    last_scores.add(step, score_named(name, value));
    if (name != select) continue;
    EarlyStopping offered = stopping;
    if (offered.offer(value, step))
      best = copy_weights();  // which may find no memory: then nothing was offered, and the next
                              // call makes up for it
    stopping = offered;
    const char* const measure = chosen_by_task ? select.c_str() : dev->measure();
    log_info("update ", step, ": ", measure, " ", value,
             stopping.best_step() == step ? ", the best so far" : "");
    if (std::isnan(value)) {
      log_warning("update ", step, ": ", measure,
                  " is not defined (are all similarities or scores the same?): it counts as worse "
                  "than any other");
    }
  }
  if (stopping.best_step() == step) best_scores = last_scores;
  publish();
}

// "sts.spearman.all" is "spearman.all" of the task "sts", on the file of its key "data".
Score TrainingRun::State::score_named(const std::string& figure, double value) const {
  if (is_dev_figure(figure))
    return {figure, dev->measure(), io::card_file(config.options.dev), value};
  const size_t dot = figure.find('.');
  const Json* file = config.user.find(TaskEvaluations::kPrefix + figure.substr(0, dot) + ".data");
  return {figure, figure.substr(dot + 1),
          file != nullptr && file->is_string() ? io::card_file(file->get<std::string>()) : "",
          value};
}

bool is_dev_figure(const std::string& figure) {
  return figure == TrainOptions::kDevFile || begins_with(figure, cat(TrainOptions::kDevFile, "."));
}

std::vector<int64_t> TrainingRun::State::cut_dimensions() const {
  std::vector<int64_t> cuts = methods::trained_dimensions(config.user);
  if (cuts.empty()) return cuts;
  cuts.erase(std::remove(cuts.begin(), cuts.end(), method->dimension()), cuts.end());
  return cuts;
}

// Weights that have run away embed nothing: no score, as where all similarities are the same.
double TrainingRun::State::score_of(const DevSubject& subject, const Cancel* cancel) const {
  try {
    return dev->score(subject, cancel);
  } catch (const Error& error) {
    if (error.status() != Status::kNumeric) throw;
    log_warning("update ", step, ": the dev file cannot be scored: ", error.what());
    return std::numeric_limits<double>::quiet_NaN();
  }
}

void TrainingRun::State::publish() {
  metrics.set("step", static_cast<double>(step));
  metrics.set("total_steps", static_cast<double>(plan.total_steps));
  metrics.set("steps_per_epoch", static_cast<double>(plan.steps_per_epoch));
  metrics.set("epoch", plan.steps_per_epoch > 0
                           ? static_cast<double>(step) / static_cast<double>(plan.steps_per_epoch)
                           : 0);
  metrics.set("skipped", static_cast<double>(skipped));
  metrics.set("truncated", static_cast<double>(truncated));
  if (world != nullptr) {
    metrics.set("rank", world->rank());
    metrics.set("ranks", world->size());
  }
  if (stages.staged()) metrics.set("stage", static_cast<double>(stage + 1));
  if (scaler.enabled()) {
    metrics.set("loss_scale", scaler.scale());
    metrics.set("loss_scale_retries", static_cast<double>(scaler.retries()));
  }
  if (stopping.best_step() >= 0) {
    metrics.set("best_dev", stopping.best());
    metrics.set("best_step", static_cast<double>(stopping.best_step()));
  }
}

// A record that cannot be written does not end the run either; every further line of it is tried.
void TrainingRun::State::record() {
  try {
    files->append(metrics);
  } catch (const std::exception& error) {
    metrics.set("failed_lines", static_cast<double>(++failed_lines));
    if (failed_lines == 1)
      log_warning("the metrics of update ", step,
                  " were not written, and the run goes on (metric failed_lines counts): ",
                  error.what());
  }
  metrics.recorded();
}

// A checkpoint that cannot be written does not end the run: the weights in memory are worth more,
// and the caller may still save elsewhere.
void TrainingRun::State::save_automatically() {
  if (config.options.checkpoints.empty()) return;
  const bool due =
      finished() || (config.options.save_every > 0 && step % config.options.save_every == 0);
  const bool better = evaluated_at == step && stopping.best_step() == step;
  if (!due && !better) return;
  best_to_save = best_to_save || better;
  if (world == nullptr) return save_due(due);
  const auto saved = [&] {
    save_due(due);
    return std::string();
  };
  world->from_first(saved, cat("while rank 0 saves update ", step));
}

void TrainingRun::State::save_due(bool due) {
  try {
    // Every stage counts its updates from 0, and so keeps its own.
    const std::string folder =
        config.options.checkpoints + (stages.staged() ? cat("/stage", stage + 1) : "");
    prepare_checkpoints(folder);
    // Of a run that went back to an earlier place: what it had made after this update is no part of
    // it any more, and would be taken for the newest.
    drop_later_checkpoints(folder, step);
    if (stages.staged()) drop_later_stages(config.options.checkpoints, stage + 1);
    if (best_to_save) result(true)->save(best_checkpoint_path(folder));
    best_to_save = false;
    if (!due) return;
    save(checkpoint_path(folder, step));
    drop_old_checkpoints(folder, config.options.keep);
  } catch (const std::exception& error) {
    metrics.set("failed_saves", static_cast<double>(++failed_saves));
    log_warning("the checkpoint of update ", step,
                " was not written, and the run goes on: ", error.what());
  }
}

}  // namespace contrastive::run
