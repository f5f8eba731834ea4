#include "core/train/trainer.h"

#include <ATen/TensorOperators.h>
#include <ATen/core/grad_mode.h>

#include <algorithm>
#include <cmath>

#include "core/base/error.h"
#include "core/base/log.h"
#include "core/base/nearest.h"
#include "core/data/derived_dataset.h"
#include "core/runtime/device.h"
#include "core/train/kept_checkpoints.h"
#include "core/train/trainer_state.h"

namespace contrastive::train {
namespace {

// What the method needs of every example, looked up in the first: a dataset holds one kind.
void check_examples(const RunConfig& config, const data::Dataset& data) {
  const data::Example first = data.get(0);
  check(!config.traits.needs_pairs || first.has_b, Status::kArgument, "method '", config.options.method,
        "' trains on pairs, but the dataset's first example has one text only: give two, as columns of a TSV or JSONL file");
  check(!config.traits.needs_labels || !std::isnan(first.label), Status::kArgument, "method '", config.options.method,
        "' trains on labelled examples, but the dataset's first one has no label: name its column last in data.columns");
  if (!config.traits.hard_negatives && !first.negatives.empty()) {
    log_warning("the examples have hard negatives, but method '", config.options.method, "' takes none: they have no part in the run");
  }
}

// The examples that the run is about, out of those that were given.
std::shared_ptr<const data::Dataset> chosen_examples(const RunConfig& config, std::shared_ptr<const data::Dataset> data) {
  const TrainOptions& options = config.options;
  if (config.traits.separates_pairs) data = data::separate_texts(std::move(data));
  if (options.few_shot == 0) return data;
  if (options.few_shot > data->size()) {
    log_warning("config key 'few_shot' asks for ", options.few_shot, " examples, but the dataset has ", data->size(), ": all of them are used");
  } else if (options.upsample && options.few_shot > data->size() / 2) {
    log_warning("config key 'upsample' repeats nothing: ", options.few_shot, " examples fit once into the dataset's ", data->size());
  }
  return data::seeded_subset(std::move(data), options.few_shot, static_cast<uint64_t>(options.seed), options.upsample);
}

std::unique_ptr<DevSet> open_dev(const TrainOptions& options) {
  try {
    return open_dev_set(options.dev, options.dev_task);
  } catch (const Error& error) {
    fail(error.status(), "config key 'dev': ", error.message());
  }
}

// A misspelt figure would otherwise show at the first evaluation, after hours perhaps.
void check_selection(const TrainOptions& options, const std::vector<std::string>& figures) {
  if (options.dev_select == TrainOptions::kDevFile) return;
  const bool known = std::find(figures.begin(), figures.end(), options.dev_select) != figures.end();
  check(known, Status::kArgument, "config key 'dev_select': ", unknown_name("figure", options.dev_select, figures));
}

// A new run's checkpoints go where none are.
void check_checkpoints(const Config& config) {
  const Json* folder = config.find("checkpoints");
  if (folder != nullptr && folder->is_string()) refuse_used_checkpoints(folder->get<std::string>());
}

// What is measured now and then: a table has these columns from its first line on.
std::vector<std::string> table_columns(const TrainOptions& options) {
  std::vector<std::string> columns;
  if (!options.dev.empty()) columns.insert(columns.end(), {"dev", "best_dev", "best_step"});
  if (options.watch_every > 0) {
    columns.insert(columns.end(), {"view.alignment", "view.uniformity", "view.mean_cosine", "view.effective_rank", "collapsed"});
  }
  return columns;
}

}  // namespace

Trainer::State::State(std::shared_ptr<model::SentenceEncoder> model, std::shared_ptr<const data::Dataset> dataset, RunConfig run)
    : start(std::move(model)),
      data(std::move(dataset)),
      config(std::move(run)),
      tasks(config.user),
      stopping(config.options.early_stop, config.options.patience),
      scaler(config.options.amp == optim::Amp::kFloat16) {
  const TrainOptions& options = config.options;
  check(start != nullptr, Status::kArgument, "training needs a model");
  runtime::load_cuda_before_backward();
  const c10::Device device = start->encoder().device();
  check(options.amp != optim::Amp::kFloat16 || !device.is_cpu(), Status::kArgument,
        "config key 'amp' is float16, which needs a CUDA device, but the model is on the CPU: use bfloat16");
  if (data != nullptr) {
    check(data->size() > 0, Status::kArgument, "the dataset has no examples");
    check_examples(config, *data);
    data = chosen_examples(config, data);
  }
  if (!options.dev.empty()) dev = open_dev(options);
  tasks.check_files();
  tasks.check_model(*start);
  check_selection(options, tasks.figures());
  if (!options.checkpoints.empty()) prepare_checkpoints(options.checkpoints);
  methods::MethodContext context;
  context.start = start;
  context.config = config.user;
  context.seed = static_cast<uint64_t>(options.seed);
  context.cache_folder = options.cache;
  context.gradient_checkpointing = options.gradient_checkpointing;
  method = config.method->make(context);
  parameters = method->parameters();
  for (const auto& parameter : parameters) {
    check(parameter.tensor.scalar_type() == at::kFloat, Status::kArgument, "the model's weights are ", parameter.tensor.scalar_type(),
          ", but training moves float32 ones: load it with precision = float32, and train with amp = bfloat16 for speed");
  }
  if (data != nullptr) {
    data = method->arrange(data);
    source = std::make_unique<UpdateSource>(data, options);
  }
  plan = plan_run(config, source ? source->batches_per_epoch() : 0);
  pass = std::make_unique<GradientPass>(*method, options.amp, device.type());
  files = std::make_unique<MetricsFiles>(options.metrics_file, options.metrics_csv, table_columns(options));
  optimizer = optim::make_optimizer(options.optimizer, parameters);
  if (dev == nullptr && options.dev_select == TrainOptions::kDevFile) log_info("no dev file: the last weights are kept, nothing is selected");
  publish();
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
  // With the model's shape: what the last stage asks of it in vain is not to be found behind the first.
  StagePlan stages = plan_stages(config, model == nullptr ? nullptr : &model->shape());
  check(!stages.staged() || data != nullptr, Status::kArgument, "a run in stages needs a dataset for the first of them");
  RunConfig run = read_run_config(stages.staged() ? stages.stages[0] : config, data != nullptr);
  check_checkpoints(config);
  for (const Config& stage : stages.stages) check_checkpoints(stage);
  open_datasets(stages);
  state_ = std::make_unique<State>(std::move(model), std::move(data), std::move(run));
  state_->begin_stages(std::move(stages));
}

Trainer::Trainer(std::unique_ptr<State> state) : state_(std::move(state)) {}
Trainer::~Trainer() = default;

Status Trainer::step(const Cancel* cancel) {
  check(state_->data != nullptr, Status::kState, "this trainer has no dataset: train it batch by batch");
  state_->settle(cancel);
  if (state_->finished()) {
    std::unique_ptr<State> next = state_->next_stage();
    if (next == nullptr) return Status::kDone;
    state_ = std::move(next);
  }
  State& s = *state_;
  throw_if_cancelled(cancel);
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

Status Trainer::step_batch(const std::vector<data::Example>& examples, const Cancel* cancel) {
  State& s = *state_;
  check(!examples.empty(), Status::kArgument, "a batch without examples");
  check(!s.config.traits.in_batch_negatives || examples.size() > 1, Status::kArgument, "a batch of one example: method '", s.config.options.method,
        "' takes its negatives from the batch");
  s.settle(cancel);
  if (s.finished()) return Status::kDone;
  throw_if_cancelled(cancel);
  s.prepare(cancel);
  data::Batch batch;
  batch.examples = examples;
  batch.indices.assign(examples.size(), -1);
  batch.epoch = s.source ? s.source->epoch() : 0;
  batch.step = s.step;
  Update update = split_batch(std::move(batch), s.config.options);
  for (data::Batch& part : update.parts) s.method->tokenize(part);
  return s.update(update, Stopwatch(), cancel);
}

void Trainer::evaluate(const Cancel* cancel) {
  check(state_->dev != nullptr || !state_->tasks.empty(), Status::kState,
        "there is no dev file to evaluate on: set config key 'dev', or the keys of a task, 'evaluate.*'");
  throw_if_cancelled(cancel);
  state_->evaluate(true, true, cancel);
}

double Trainer::metric(const std::string& name) const { return state_->metrics.get(name); }
std::vector<std::string> Trainer::metric_names() const { return state_->metrics.names(); }
std::shared_ptr<model::SentenceEncoder> Trainer::trained(bool best) const { return state_->trained(best); }
void Trainer::save_best(const std::string& path) const { state_->trained(true)->save(path); }
Config Trainer::resolved_config() const { return state_->stages.staged() ? resolved_stages(state_->stages) : state_->config.complete; }

void check_config(const Config& config, const std::optional<std::string>& model_folder) {
  const auto check_all = [&](const nn::EncoderOptions* shape) {
    if (!plan_stages(config, shape).staged()) read_run_config(config, true, shape);
  };
  check_all(nullptr);  // before a file is read
  if (!model_folder) return;
  const nn::EncoderOptions shape = io::read_model_shape(*model_folder);
  check_all(&shape);
}

}  // namespace contrastive::train
