#include "core/torch/run/training_run.h"

#include <utility>

#include "core/base/error.h"
#include "core/base/file.h"
#include "core/base/log.h"
#include "core/runtime/threads.h"
#include "core/torch/tensors/openmp.h"
#include "core/torch/dist/dist_options.h"
#include "core/torch/run/kept_checkpoints.h"
#include "core/torch/run/ranks.h"
#include "core/torch/run/resume_rules.h"
#include "core/torch/run/stage_run.h"

namespace contrastive::run {
namespace {

// A new run needs a folder without checkpoints.
void check_checkpoints(const Config& config) {
  const std::string folder = checkpoints_of(config);
  if (!folder.empty()) refuse_used_checkpoints(folder);
}

// The state of a new run before it has a model.
struct NewRun {
  StagePlan stages;
  RunConfig config;  // of the first stage, where there are several
  RunInputs inputs;  // for it
};

// `data` may be null. `shape`: the model's, if it is known, so that a later stage that does not fit
// the model is refused before the first one runs.
NewRun plan_new_run(const Config& config, std::shared_ptr<const data::Dataset> data,
                    const encoder::Architecture* shape) {
  NewRun run;
  run.stages = plan_stages(config, shape);
  const std::vector<Config>& stages = run.stages.stages;
  check(stages.empty() || data != nullptr, Status::kArgument,
        "a run in stages needs a dataset for the first of them");
  run.config = read_run_config(stages.empty() ? config : stages[0], data != nullptr);
  check_checkpoints(config);
  for (const Config& stage : stages) check_checkpoints(stage);
  run.inputs = stages.empty() ? open_inputs(run.config, std::move(data))
                              : open_stages(run.stages, std::move(data));
  return run;
}

// The folder to resume from: `given` itself, or the newest checkpoint in it.
std::string saved_run_in(const std::string& given) {
  if (has_training_state(given)) return given;
  const std::string newest = newest_checkpoint(given);
  if (newest.empty()) return given;
  log_info(given, " is a folder of checkpoints; the run is resumed from the newest, ", newest);
  return newest;
}

// A resumed run may continue with its own folder of checkpoints, or with an unused one.
void check_resumed_checkpoints(const std::string& checkpoints, const std::string& path,
                               const Config& before) {
  if (checkpoints.empty()) return;
  const bool own = lies_in(path, checkpoints) || !before.has("checkpoints") ||
                   checkpoints_of(before) == checkpoints;
  if (!own) refuse_used_checkpoints(checkpoints);
}

// The stage with which a saved run continues.
std::unique_ptr<StageRun> resume_stage(const std::string& given,
                                       std::shared_ptr<model::Model> model,
                                       std::shared_ptr<const data::Dataset> data,
                                       const Config& overrides,
                                       const std::shared_ptr<dist::World>& world) {
  const std::string path = saved_run_in(given);
  const TrainingState saved = read_training_state(path);
  const Config resolved = saved_config(saved, "resolved_config");
  StagePosition stage = StagePosition::restored(saved, overrides, model.get());
  if (stage.index() > 0) {
    model = stage.restored_start(saved, model);
    data = stage.dataset();
  }
  RunConfig config = read_run_config(stage.staged() ? stage.config()
                                                    : with_overrides(saved_config(saved, "config"),
                                                                     resolved, overrides),
                                     data != nullptr);
  check_resumed_checkpoints(config.options.checkpoints, path, resolved);
  RunInputs inputs = open_inputs(config, std::move(data));
  auto run = std::make_unique<StageRun>(std::move(model), std::move(config), std::move(inputs),
                                        std::move(stage), world);
  run->restore(saved);
  run->compare_ranks();
  return run;
}

}  // namespace

TrainingRun::TrainingRun(std::shared_ptr<model::Model> model,
                         std::shared_ptr<const data::Dataset> data, const Config& config,
                         std::shared_ptr<dist::World> world) {
  tensors::settle_openmp();
  among_ranks(world, [&] {
    NewRun run = plan_new_run(config, std::move(data),
                              model == nullptr ? nullptr : &model->encoder().architecture());
    stage_ =
        std::make_unique<StageRun>(std::move(model), std::move(run.config), std::move(run.inputs),
                                   StagePosition(std::move(run.stages)), world);
    stage_->compare_ranks();
  });
}

runtime::ThreadLimit TrainingRun::thread_limit() const {
  return runtime::ThreadLimit(static_cast<int>(stage_->config().options.threads));
}

TrainingRun::TrainingRun(std::unique_ptr<StageRun> stage) : stage_(std::move(stage)) {}
TrainingRun::~TrainingRun() = default;

std::unique_ptr<TrainingRun> TrainingRun::resume(const std::string& path,
                                                 std::shared_ptr<model::Model> model,
                                                 std::shared_ptr<const data::Dataset> data,
                                                 const Config& overrides,
                                                 std::shared_ptr<dist::World> world) {
  tensors::settle_openmp();
  return among_ranks(world, [&] {
    return std::unique_ptr<TrainingRun>(
        new TrainingRun(resume_stage(path, std::move(model), std::move(data), overrides, world)));
  });
}

Status TrainingRun::step(const Cancel* cancel) {
  tensors::settle_openmp();
  const runtime::ThreadLimit limit = thread_limit();
  check(stage_->has_data(), Status::kState, "this trainer has no dataset: train it batch by batch");
  return among_ranks(stage_->ranks().world(), [&] {
    stage_->settle(cancel);
    if (stage_->finished()) {
      std::unique_ptr<StageRun> next = stage_->next_stage();
      if (next == nullptr) return Status::kDone;
      stage_ = std::move(next);
    }
    stage_->update(cancel);
    return Status::kOk;
  });
}

Status TrainingRun::step_batch(std::vector<data::Example> batch, const Cancel* cancel) {
  tensors::settle_openmp();
  const runtime::ThreadLimit limit = thread_limit();
  const RunConfig& config = stage_->config();
  // Checked on every rank before any of them waits for another, so the run may continue.
  check(!batch.empty(), Status::kArgument, "a batch without examples");
  check(!config.traits.in_batch_negatives || batch.size() > 1, Status::kArgument,
        "a batch of one example: method '", config.options.method,
        "' takes its negatives from the batch");
  return among_ranks(stage_->ranks().world(), [&] {
    stage_->settle(cancel);
    if (stage_->finished()) return Status::kDone;
    stage_->update_on(std::move(batch), cancel);
    return Status::kOk;
  });
}

void TrainingRun::evaluate(const Cancel* cancel) {
  tensors::settle_openmp();
  const runtime::ThreadLimit limit = thread_limit();
  check(stage_->evaluates(), Status::kState,
        "there is no dev file to evaluate on: set config key 'dev', or the keys of a task, "
        "'evaluate.*'");
  among_ranks(stage_->ranks().world(), [&] { stage_->evaluate(cancel); });
}

double TrainingRun::metric(const std::string& name) const { return stage_->records().value(name); }

std::vector<std::string> TrainingRun::metric_names() const { return stage_->records().names(); }

std::shared_ptr<model::Model> TrainingRun::result(bool best) const {
  tensors::settle_openmp();
  return stage_->result(best);
}

void TrainingRun::save(const std::string& path) const {
  tensors::settle_openmp();
  stage_->save(path);
}

void TrainingRun::save_best(const std::string& path) const { result(true)->save(path); }

Config TrainingRun::resolved_config() const {
  const StagePosition& stage = stage_->stage();
  return stage.staged() ? resolved_stages(stage.plan()) : stage_->config().complete;
}

void check_config(const Config& whole, std::shared_ptr<const data::Dataset> data,
                  const std::optional<std::string>& model_folder) {
  check_rank_keys(whole);
  const Config config = dist::without_options(whole);
  const auto check_keys = [&](const encoder::Architecture* shape) {
    if (!plan_stages(config, shape).staged()) read_run_config(config, true, shape);
  };
  check_keys(nullptr);  // before any file is read
  if (model_folder) {
    const encoder::Architecture shape = io::read_model_shape(*model_folder);
    check_keys(&shape);
  }
  if (data != nullptr) plan_new_run(config, std::move(data), nullptr);
}

}  // namespace contrastive::run
