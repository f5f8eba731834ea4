// The loop of a stage: one update, and the work after it (metrics, collapse watch, evaluations,
// checkpoints).
#include <cmath>
#include <utility>

#include "core/base/log.h"
#include "core/host/exit.h"
#include "core/torch/run/kept_checkpoints.h"
#include "core/torch/run/stage_run.h"

namespace contrastive::run {

bool StageRun::finished() const {
  return (plan_.total_steps > 0 && progress_.step >= plan_.total_steps) || selection_.exhausted();
}

// The position of the run, as a text that ranks compare.
std::string StageRun::place() const {
  std::string place = cat("update ", progress_.step, stage_.place());
  if (source_) place += cat(", batch ", source_->position(), " of epoch ", source_->epoch());
  return place;
}

void StageRun::agree(const Cancel* cancel, const std::vector<data::Example>* batch) const {
  ranks_.agree(cancel, progress_.step, [&] {
    return batch == nullptr ? place()
                            : cat(place(), ", a batch of ", batch->size(),
                                  " examples with the digest ", digest_of(*batch));
  });
}

void StageRun::prepare(const Cancel* cancel) {
  if (progress_.prepared) return;
  ranks_.prepare([&] { learner_->method().prepare(data_.get(), cancel); }, progress_.step,
                 [&] { return place(); });
  progress_.prepared = true;
  progress_.unsettled = config_.options.eval_at_start;
  settle(cancel);
}

void StageRun::settle(const Cancel* cancel) {
  if (!progress_.unsettled) return;
  agree(cancel);
  const int64_t step = progress_.step;
  if (step == 0) {
    evaluate(true, config_.options.evaluate_every == 0, cancel);
    progress_.unsettled = false;
    return;
  }
  evaluate_where_due(cancel);
  progress_.unsettled = false;
  if (step % config_.options.metrics_every == 0 || selection_.evaluated_at() == step || finished())
    records_->write(step);
  save_automatically();
}

void StageRun::update(const Cancel* cancel) {
  agree(cancel);
  prepare(cancel);
  const Stopwatch stopwatch;
  const int64_t epoch = source_->epoch(), position = source_->position(), before = progress_.step;
  try {
    make_update(source_->next(learner_->method(), before), stopwatch, cancel);
  } catch (...) {
    // A failed update does not change the position of the run: the next call gets the same batch.
    if (progress_.step == before) source_->restore(epoch, position);
    throw;
  }
}

void StageRun::update_on(std::vector<data::Example> examples, const Cancel* cancel) {
  agree(cancel, &examples);
  prepare(cancel);
  data::Batch batch;
  batch.indices.assign(examples.size(), -1);
  batch.examples = std::move(examples);
  batch.epoch = source_ ? source_->epoch() : 0;
  batch.step = progress_.step;
  Update update = split_batch(std::move(batch), config_.options, ranks_.share());
  for (data::Batch& part : update.parts) {
    if (part.size() > 0) learner_->method().tokenize(part);
  }
  make_update(update, Stopwatch(), cancel);
}

void StageRun::make_update(const Update& update, const Stopwatch& stopwatch, const Cancel* cancel) {
  learner_->check_whole();
  warnings_.look_for_single(update, config_, data_.get());
  const Learnt learnt = learn(update);
  if (!learnt.moved) ++progress_.skipped;
  ++progress_.step;  // from here on the update counts as made, even if something fails
  if (!std::exchange(updated_, true)) host::watch_exit();
  host::renew_exit_watch();
  progress_.unsettled = true;
  learner_->clear_gradients();
  const int64_t cut_before = progress_.truncated;
  progress_.truncated += learnt.truncated_texts;
  UpdateWarnings::look_for_truncated(learnt.truncated_texts, cut_before, progress_.step - 1,
                                     config_);
  records_->add_work(update.examples(), learnt.tokens, stopwatch.seconds());
  report();
  settle(cancel);
}

StageRun::Learnt StageRun::learn(const Update& update) {
  const double lr = config_.options.lr * optim::schedule_factor(plan_.schedule, progress_.step);
  records_->set("lr", lr);
  PassResult result = learner_->fill_gradients(update);
  if (result.bad_part) {
    records_->forget_loss();
    leave_out("loss", lr, update.compared()[*result.bad_part], result.views);
    return {false, 0, result.truncated};
  }
  records_->set("loss", result.terms.front().second);
  for (const auto& [name, value] : result.terms) {
    // An update has the losses of its tasks.
    if (config_.tasks() > 1) records_->measure("loss." + name, value);
    else records_->set("loss." + name, value);
  }
  records_->set("tokens", static_cast<double>(result.tokens));
  records_->set("grad_norm", result.gradient_norm);
  if (!std::isfinite(result.gradient_norm)) {
    leave_out("gradient", lr, update.compared().front(), result.views);
    return {false, result.tokens, result.truncated};
  }
  look_at_views(result.views);
  result.views = {};  // their memory is free for the optimizer
  learner_->move(result.gradient_norm, lr);
  return {true, result.tokens, result.truncated};
}

// Returns if key "on_nan" skips the update; else throws kNumeric. The weights have not changed yet.
void StageRun::leave_out(const char* what, double lr, const data::Batch& batch,
                         const methods::Views& views) {
  const TrainOptions& options = config_.options;
  const std::string message =
      describe_non_finite(what, progress_.step, lr, batch, views, config_, learner_->parameters());
  if (options.on_nan == OnNan::kSkip) {
    log_warning(message, "; the update is left out");
    return;
  }
  learner_->clear_gradients();
  const std::string good =
      selection_.has_best() ? cat("; the best weights are those of update ", selection_.best_step())
                            : std::string();
  const std::string newest =
      options.checkpoints.empty() ? "" : newest_checkpoint(options.checkpoints);
  fail(Status::kNumeric, message, "; the weights are as they were before this update", good,
       newest.empty() ? "" : "; the newest checkpoint is " + newest,
       ". Lower lr, or set on_nan = skip");
}

void StageRun::look_at_views(const methods::Views& views) {
  const int64_t every = config_.options.watch_every, step = progress_.step;
  if (config_.traits.gives != methods::Gives::kVectors || every == 0 ||
      (step % every != 0 && step + 1 != plan_.total_steps))
    return;
  watch_.look(views, step, *records_);
}

void StageRun::evaluate_where_due(const Cancel* cancel) {
  const int64_t every = config_.options.evaluate_every, step = progress_.step;
  const bool last = finished(), due = last || plan_.evaluation_due(step),
             tasks_due = every > 0 ? last || step % every == 0 : due;
  if (due || tasks_due) evaluate(due, tasks_due, cancel);
  if (finished() && !tasks_due)
    evaluate(false, true, cancel);  // the dev file has just ended the run
}

void StageRun::evaluate(const Cancel* cancel) {
  agree(cancel);
  evaluate(true, true, cancel);
}

// All figures are computed before the first is stored.
void StageRun::evaluate(bool on_dev, bool on_tasks, const Cancel* cancel) {
  on_dev = on_dev && evaluation_.on_dev();
  on_tasks = on_tasks && evaluation_.on_tasks();
  if (!on_dev && !on_tasks) return;
  learner_->check_whole();
  const int64_t step = progress_.step;
  const Figures figures = ranks_.from_first(
      [&] { return evaluation_.run(learner_->method(), on_dev, on_tasks, step, cancel); },
      cat("while rank 0 evaluates after update ", step));
  std::vector<Score> scores;
  for (const auto& [name, value] : figures) {
    records_->measure(name, value);
    scores.push_back(evaluation_.score(name, value));
  }
  selection_.offer(step, scores, [&] { return learner_->copy_weights(); });
  report();
}

void StageRun::save_automatically() {
  const int64_t step = progress_.step;
  const bool new_best = selection_.evaluated_at() == step && selection_.best_at(step);
  checkpoints_.save_where_due(step, finished(), new_best, stage_, ranks_,
                              {[this](const std::string& folder) { save(folder); },
                               [this](const std::string& folder) { result(true)->save(folder); }},
                              *records_);
}

}  // namespace contrastive::run
