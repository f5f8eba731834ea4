#include "core/torch/run/training_run.h"

#include <ATen/TensorOperators.h>
#include <ATen/core/grad_mode.h>

#include <cstring>

#include "core/base/error.h"
#include "core/base/log.h"
#include "core/torch/tensors/cuda.h"
#include "core/torch/tensors/openmp.h"
#include "core/torch/dist/dist_options.h"
#include "core/torch/run/joint_method.h"
#include "core/torch/run/kept_checkpoints.h"
#include "core/torch/run/ranks.h"
#include "core/torch/run/trainer_state.h"

namespace contrastive::run {
namespace {

// Whether all that was asked for is there is seen once; check_config() stays silent about it.
void warn_of_few(const TrainOptions& options, int64_t given, const std::string& whose) {
  if (options.few_shot > given) {
    log_warning("config key 'few_shot' asks for ", options.few_shot, " examples, but the dataset",
                whose, " has ", given, ": all of them are used");
  } else if (options.upsample && options.few_shot > given / 2) {
    log_warning("config key 'upsample' repeats nothing: ", options.few_shot,
                " examples fit once into the ", given, " of the dataset", whose);
  }
}

// A new run's checkpoints go where none are.
void check_checkpoints(const Config& config) {
  const std::string folder = checkpoints_of(config);
  if (!folder.empty()) refuse_used_checkpoints(folder);
}

// On the CPU without memory: what was put aside can always be put back.
void overwrite(const at::Tensor& with, const at::Tensor& parameter) {
  const bool plain = parameter.is_cpu() && with.is_cpu() && parameter.is_contiguous() &&
                     with.is_contiguous() && parameter.dtype() == with.dtype();
  if (plain) {
    std::memcpy(parameter.mutable_data_ptr(), with.const_data_ptr(), parameter.nbytes());
  } else {
    parameter.detach().copy_(with);
  }
}

// What a new run is before it begins with a model.
struct NewRun {
  StagePlan stages;
  RunConfig config;  // of the first stage, where there are several
  RunInputs inputs;  // for it
};

// `data` may be null. `shape`: the model's, where it is known, so that what the last stage asks of
// it in vain is not to be found behind the first.
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

// What is measured now and then: a table has these columns from its first line on.
std::vector<std::string> table_columns(const RunConfig& config, const std::vector<int64_t>& cuts) {
  const TrainOptions& options = config.options;
  std::vector<std::string> columns;
  if (!options.dev.empty()) {
    columns.insert(columns.end(), {"dev", "best_dev", "best_step"});
    for (const int64_t cut : cuts) columns.push_back(dev_figure(cut));
  }
  if (options.watch_every > 0 && config.traits.gives == methods::Gives::kVectors) {
    columns.insert(columns.end(), {"view.alignment", "view.uniformity", "view.mean_cosine",
                                   "view.effective_rank", "view.zero_vectors", "collapsed"});
  }
  return columns;
}

}  // namespace

TrainingRun::State::State(std::shared_ptr<model::Model> model, RunConfig run, RunInputs inputs,
                          std::shared_ptr<dist::World> ranks)
    : world(std::move(ranks)), start(std::move(model)), data(std::move(inputs.data)),
      config(std::move(run)), dev(std::move(inputs.dev)), tasks(config.user),
      stopping(config.options.early_stop, config.options.patience),
      scaler(config.options.amp == optim::Amp::kFloat16) {
  const TrainOptions& options = config.options;
  check(start != nullptr, Status::kArgument, "training needs a model");
  tensors::load_cuda_before_backward();
  const runtime::Device device = start->encoder().device();
  check_device(config, device.is_cpu());
  check_precision(config, runtime::precision_name(start->encoder().precision()));
  for (size_t i = 0; i < inputs.tasks.size(); ++i) {
    const TrainOptions& task = options.task(i);
    const std::string whose = options.tasks() > 1 ? cat(" of task ", i + 1) : "";
    if (data != nullptr) warn_of_few(task, inputs.tasks[i].given, whose);
    if (inputs.tasks[i].idle_negatives) {
      log_warning("the examples", whose, " have hard negatives, but method '", task.method,
                  "' takes none: they have no part in the run");
    }
    facts.push_back(facts_of(inputs.tasks[i].data.get(), inputs.tasks[i].given));
  }
  if (const auto encoder = model::sentence_encoder(start)) tasks.check_model(*encoder);
  if (!options.checkpoints.empty() && first()) prepare_checkpoints(options.checkpoints);
  methods::MethodContext context;
  context.start = model::sentence_encoder(start);
  if (const auto reranker = model::cross_encoder(start)) {
    check(config.traits.gives != methods::Gives::kVectors, Status::kArgument,
          "the model is a reranker, but method '", options.method, "' trains sentence encoders");
    context.start = reranker->body();
    context.head = reranker->folder().classifier;
  }
  // Whole vectors are trained. result() sets truncate_dim again.
  if (context.start != nullptr && context.start->folder().truncate_dim > 0) {
    io::ModelFolder whole = context.start->folder();
    whole.truncate_dim = 0;
    context.start =
        std::make_shared<model::SentenceEncoder>(std::move(whole), context.start->replicas());
  }
  context.seed = static_cast<uint64_t>(options.seed);
  context.cache_folder = options.cache;
  context.gradient_checkpointing = options.gradient_checkpointing;
  method = make_method(config, std::move(context));
  parameters = method->parameters();
  if (data != nullptr) {
    data = method->arrange(data);
    source = std::make_unique<UpdateSource>(data, options, share());
  }
  plan = plan_run(config, source ? source->batches_per_epoch() : 0);
  if (plan.usual_warmup > 0) {
    log_info("the method's usual warm-up of ", plan.usual_warmup, " updates is shortened to ",
             plan.schedule.warmup, ", a tenth of the run");
  }
  pass =
      std::make_unique<GradientPass>(*method, options.amp, tensors::to_torch(device), world.get());
  files = first() ? std::make_unique<MetricsFiles>(options.metrics_file, options.metrics_csv,
                                                   table_columns(config, cut_dimensions()))
                  : std::make_unique<MetricsFiles>("", "", std::vector<std::string>());
  optimizer = optim::make_optimizer(options.optimizer, parameters);
  if (dev == nullptr && options.dev_select == TrainOptions::kDevFile)
    log_info("no dev file: the last weights are kept, nothing is selected");
  publish();
}

tensors::TorchTensorMap TrainingRun::State::copy_weights() const {
  tensors::TorchTensorMap weights;
  for (const auto& parameter : parameters)
    weights[parameter.name] = parameter.tensor.detach().clone();
  return weights;
}

void TrainingRun::State::check_weights(const tensors::TorchTensorMap& weights,
                                       const char* which) const {
  for (const auto& parameter : parameters) {
    const auto it = weights.find(parameter.name);
    check(it != weights.end(), Status::kMismatch, "the saved run has no ", which, "weight '",
          parameter.name, "'");
    check(it->second.sizes() == parameter.tensor.sizes(), Status::kMismatch, "the saved ", which,
          "weight '", parameter.name, "' is ", it->second.sizes(), ", not ",
          parameter.tensor.sizes());
  }
}

void TrainingRun::State::set_weights(const tensors::TorchTensorMap& weights) {
  const at::NoGradGuard no_grad;
  check_weights(weights, "");
  for (const auto& parameter : parameters) overwrite(weights.at(parameter.name), parameter.tensor);
}

std::shared_ptr<model::Model> TrainingRun::State::result(bool best_ones) const {
  const bool chosen = best_ones && !best.empty();
  if (!chosen) optimizer->check_whole();
  std::shared_ptr<model::Model> model = method->result(chosen ? best : tensors::TorchTensorMap());
  const auto from = model::sentence_encoder(start), given = model::sentence_encoder(model);
  if (from != nullptr && given != nullptr) given->set_truncate_dim(from->folder().truncate_dim);
  model->set_card(card(best_ones));
  return model;
}

TrainingRun::TrainingRun(std::shared_ptr<model::Model> model,
                         std::shared_ptr<const data::Dataset> data, const Config& config,
                         std::shared_ptr<dist::World> world) {
  tensors::settle_openmp();
  State::among_ranks(world, [&] {
    NewRun run = plan_new_run(config, std::move(data),
                              model == nullptr ? nullptr : &model->encoder().architecture());
    state_ = std::make_unique<State>(std::move(model), std::move(run.config), std::move(run.inputs),
                                     world);
    state_->begin_stages(std::move(run.stages));
    state_->compare_ranks();
  });
}

TrainingRun::TrainingRun(std::unique_ptr<State> state) : state_(std::move(state)) {}
TrainingRun::~TrainingRun() = default;

Status TrainingRun::step(const Cancel* cancel) {
  tensors::settle_openmp();
  check(state_->data != nullptr, Status::kState,
        "this trainer has no dataset: train it batch by batch");
  return State::among_ranks(state_->world, [&] { return next_update(cancel); });
}

Status TrainingRun::next_update(const Cancel* cancel) {
  state_->settle(cancel);
  if (state_->finished()) {
    std::unique_ptr<State> next = state_->next_stage();
    if (next == nullptr) return Status::kDone;
    state_ = std::move(next);
  }
  State& s = *state_;
  s.agree(cancel);
  s.prepare(cancel);
  const Stopwatch stopwatch;
  const int64_t epoch = s.source->epoch(), position = s.source->position(), before = s.step;
  try {
    return s.update(s.source->next(*s.method, s.step), stopwatch, cancel);
  } catch (...) {
    // An update that was not made leaves the run where it was: the next call meets the same batch.
    if (s.step == before) s.source->restore(epoch, position);
    throw;
  }
}

Status TrainingRun::step_batch(std::vector<data::Example> batch, const Cancel* cancel) {
  tensors::settle_openmp();
  // The same on every rank, before any of them waits for another: the run goes on.
  check(!batch.empty(), Status::kArgument, "a batch without examples");
  check(!state_->config.traits.in_batch_negatives || batch.size() > 1, Status::kArgument,
        "a batch of one example: method '", state_->config.options.method,
        "' takes its negatives from the batch");
  return State::among_ranks(state_->world,
                            [&] { return callers_update(std::move(batch), cancel); });
}

Status TrainingRun::callers_update(std::vector<data::Example> examples, const Cancel* cancel) {
  State& s = *state_;
  s.settle(cancel);
  if (s.finished()) return Status::kDone;
  s.agree(cancel, &examples);
  s.prepare(cancel);
  data::Batch batch;
  batch.indices.assign(examples.size(), -1);
  batch.examples = std::move(examples);
  batch.epoch = s.source ? s.source->epoch() : 0;
  batch.step = s.step;
  Update update = split_batch(std::move(batch), s.config.options, s.share());
  for (data::Batch& part : update.parts) {
    if (part.size() > 0) s.method->tokenize(part);
  }
  return s.update(update, Stopwatch(), cancel);
}

void TrainingRun::evaluate(const Cancel* cancel) {
  tensors::settle_openmp();
  check(state_->dev != nullptr || !state_->tasks.empty(), Status::kState,
        "there is no dev file to evaluate on: set config key 'dev', or the keys of a task, "
        "'evaluate.*'");
  State::among_ranks(state_->world, [&] {
    state_->agree(cancel);
    state_->evaluate(true, true, cancel);
  });
}

double TrainingRun::metric(const std::string& name) const { return state_->metrics.get(name); }
std::vector<std::string> TrainingRun::metric_names() const { return state_->metrics.names(); }

std::shared_ptr<model::Model> TrainingRun::result(bool best) const {
  tensors::settle_openmp();
  return state_->result(best);
}

void TrainingRun::save_best(const std::string& path) const { result(true)->save(path); }

Config TrainingRun::resolved_config() const {
  return state_->stages.staged() ? resolved_stages(state_->stages) : state_->config.complete;
}

void check_config(const Config& whole, std::shared_ptr<const data::Dataset> data,
                  const std::optional<std::string>& model_folder) {
  check_rank_keys(whole);
  const Config config = dist::without_options(whole);
  const auto check_keys = [&](const encoder::Architecture* shape) {
    if (!plan_stages(config, shape).staged()) read_run_config(config, true, shape);
  };
  check_keys(nullptr);  // before a file is read
  if (model_folder) {
    const encoder::Architecture shape = io::read_model_shape(*model_folder);
    check_keys(&shape);
  }
  if (data != nullptr) plan_new_run(config, std::move(data), nullptr);
}

}  // namespace contrastive::run
