#include "core/torch/run/stage_run.h"

#include <utility>

#include "core/base/log.h"
#include "core/base/sha256.h"
#include "core/io/atomic_folder.h"
#include "core/io/kept_readme.h"
#include "core/model/cross_encoder.h"
#include "core/model/sentence_encoder.h"
#include "core/torch/run/joint_method.h"
#include "core/torch/run/kept_checkpoints.h"
#include "core/torch/run/resume_rules.h"
#include "core/torch/tensors/cuda.h"
#include "core/torch/tensors/tensors.h"

namespace contrastive::run {
namespace {

// check_config() does not warn about it.
void warn_of_few(const TrainOptions& options, int64_t given, const std::string& whose) {
  if (options.few_shot > given) {
    log_warning("config key 'few_shot' requests ", options.few_shot, " examples, but the dataset",
                whose, " has ", given, ": all of them are used");
  } else if (options.upsample && options.few_shot > given / 2) {
    log_warning("config key 'upsample' repeats nothing: ", options.few_shot,
                " examples fit once into the ", given, " of the dataset", whose);
  }
}

std::vector<DataFacts> facts_of_tasks(const RunConfig& config, const RunInputs& inputs) {
  std::vector<DataFacts> facts;
  for (size_t i = 0; i < inputs.tasks.size(); ++i) {
    const TrainOptions& task = config.options.task(i);
    const std::string whose = config.tasks() > 1 ? cat(" of task ", i + 1) : "";
    if (inputs.data != nullptr) warn_of_few(task, inputs.tasks[i].given, whose);
    if (inputs.tasks[i].idle_negatives) {
      log_warning("the examples", whose, " have hard negatives, but method '", task.method,
                  "' does not use them");
    }
    facts.push_back(facts_of(inputs.tasks[i].data.get(), inputs.tasks[i].given));
  }
  return facts;
}

// The start model of the method. Complete vectors are trained; StageRun::result() truncates them
// again.
methods::MethodContext context_of(const RunConfig& config,
                                  const std::shared_ptr<model::Model>& start) {
  const TrainOptions& options = config.options;
  methods::MethodContext context;
  context.start = model::sentence_encoder(start);
  if (const auto reranker = model::cross_encoder(start)) {
    check(config.traits.gives != methods::Gives::kVectors, Status::kArgument,
          "the model is a reranker, but method '", options.method, "' trains sentence encoders");
    context.start = reranker->body();
    context.head = reranker->folder().classifier;
  }
  if (context.start != nullptr && context.start->folder().truncate_dim > 0) {
    io::ModelFolder whole = context.start->folder();
    whole.truncate_dim = 0;
    context.start =
        std::make_shared<model::SentenceEncoder>(std::move(whole), context.start->replicas());
  }
  context.seed = static_cast<uint64_t>(options.seed);
  context.cache_folder = options.cache;
  context.gradient_checkpointing = options.gradient_checkpointing;
  return context;
}

// Metrics that are measured only sometimes; a table has these columns from its first line on.
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

// Rank 0 alone writes.
MetricsFiles open_files(const RunConfig& config, methods::Method& method, bool first) {
  if (!first) return MetricsFiles("", "", {});
  return MetricsFiles(config.options.metrics_file, config.options.metrics_csv,
                      table_columns(config, cut_dimensions(config, method)));
}

// A digest of everything that a rank computes with.
std::string digest_of_weights(const std::vector<methods::Parameter>& parameters) {
  Sha256 digest;
  for (const methods::Parameter& parameter : parameters) {
    const at::Tensor here = parameter.tensor.detach().cpu().contiguous();
    digest.update(parameter.name);
    digest.update({static_cast<const char*>(here.const_data_ptr()), here.nbytes()});
  }
  return digest.hex();
}

// An index of the old vectors cannot hold the new ones.
void warn_of_dimension(const model::SentenceEncoder& from, const model::SentenceEncoder& trained) {
  if (from.folder().poolings.empty() || from.dimension() == trained.dimension()) return;
  log_warning("the trained model's embeddings have ", trained.dimension(),
              " numbers, and those of the model that the training began with have ",
              from.dimension(), ": the method uses another pooling");
}

}  // namespace

StageRun::StageRun(std::shared_ptr<model::Model> start, RunConfig config, RunInputs inputs,
                   StagePosition stage, std::shared_ptr<dist::World> world)
    : ranks_(std::move(world)), start_(std::move(start)), data_(inputs.data),
      config_(std::move(config)), stage_(std::move(stage)),
      evaluation_(std::move(inputs.dev), config_), selection_(config_.options),
      checkpoints_(config_.options) {
  const TrainOptions& options = config_.options;
  check_start();
  stage_.begin_with(*start_);
  facts_ = facts_of_tasks(config_, inputs);
  if (const auto encoder = model::sentence_encoder(start_)) evaluation_.check_model(*encoder);
  if (!options.checkpoints.empty() && ranks_.first()) prepare_checkpoints(options.checkpoints);
  learner_ = std::make_unique<Learner>(make_method(config_, context_of(config_, start_)), options,
                                       tensors::to_torch(start_->encoder().device()),
                                       ranks_.world().get());
  if (data_ != nullptr) {
    data_ = learner_->method().arrange(data_);
    source_ = std::make_unique<UpdateSource>(data_, options, ranks_.share());
  }
  plan_ = plan_run(config_, source_ ? source_->batches_per_epoch() : 0);
  if (plan_.usual_warmup > 0) {
    log_info("the method's usual warm-up of ", plan_.usual_warmup, " updates is shortened to ",
             plan_.schedule.warmup, ", a tenth of the run");
  }
  records_ = std::make_unique<Records>(open_files(config_, learner_->method(), ranks_.first()));
  if (!evaluation_.on_dev() && options.dev_select == TrainOptions::kDevFile)
    log_info("no dev file: the last weights are kept, nothing is selected");
  report();
}

void StageRun::check_start() const {
  check(start_ != nullptr, Status::kArgument, "training needs a model");
  tensors::load_cuda_before_backward();
  check_device(config_, start_->encoder().device().is_cpu());
  check_precision(config_, runtime::precision_name(start_->encoder().precision()));
}

// The metrics that follow from the state of the pieces.
void StageRun::report() {
  progress_.report(plan_, *records_);
  if (!ranks_.alone()) {
    records_->set("rank", ranks_.share().rank);
    records_->set("ranks", ranks_.share().ranks);
  }
  stage_.report(*records_);
  learner_->report(*records_);
  selection_.report(*records_);
}

std::unique_ptr<StageRun> StageRun::next_stage() const {
  if (stage_.last()) return nullptr;
  StagePosition next = stage_.next();
  log_info("stage ", stage_.index() + 1, " of ", stage_.plan().stages.size(), " is over after ",
           progress_.step, " updates; the next one begins with its ",
           selection_.has_best() ? "best" : "last", " weights");
  RunConfig config = read_run_config(next.config(), true);
  RunInputs inputs = open_inputs(config, next.dataset());
  return std::make_unique<StageRun>(result(true), std::move(config), std::move(inputs),
                                    std::move(next), ranks_.world());
}

std::shared_ptr<model::Model> StageRun::result(bool best) const {
  const bool chosen = best && selection_.has_best();
  if (!chosen) learner_->check_whole();
  std::shared_ptr<model::Model> model =
      learner_->method().result(chosen ? selection_.best_weights() : tensors::TorchTensorMap());
  const auto from = model::sentence_encoder(start_), given = model::sentence_encoder(model);
  if (from != nullptr && given != nullptr) {
    given->set_truncate_dim(from->folder().truncate_dim);
    warn_of_dimension(*from, *given);
  }
  model->set_card(training_card({config_, plan_, stage_, facts_, *start_, learner_->method(),
                                 progress_, selection_},
                                best));
  return model;
}

TrainingState StageRun::state() const {
  TrainingState state;
  RunIdentity{config_, *start_, data_.get()}.save(state);
  progress_.save(state);
  state.fields["epoch"] = source_ ? source_->epoch() : 0;
  state.fields["position"] = source_ ? source_->position() : 0;
  learner_->save(state);
  selection_.save(state);
  watch_.save(state);
  records_->save(state);
  stage_.save(state, *start_);
  return state;
}

void StageRun::restore(const TrainingState& state) {
  RunIdentity{config_, *start_, data_.get()}.check(state);
  progress_.restore(state);
  const JsonObject fields = state.read();
  if (source_) {
    source_->restore(fields.integer("epoch", 0, kLargestCount),
                     fields.integer("position", 0, kLargestCount));
  }
  selection_.restore(state);
  if (selection_.has_best()) {
    learner_->check_weights(selection_.best_weights(), "best ");  // now, not at the end of the run
    checkpoints_.best_is_unsaved();
  }
  watch_.restore(state);
  learner_->restore(state);
  report();
  selection_.report_last(*records_);
  records_->restore(state);
}

void StageRun::save(const std::string& path) const {
  // The model and the state replace the old ones together: the model folder is written inside the
  // hidden folder that is then committed.
  io::AtomicFolder folder(path);
  result(false)->save(folder.path());
  write_training_state(folder.path(), state());
  io::keep_readme(folder.target(), folder.path());
  folder.commit();
}

void StageRun::compare_ranks() const {
  if (ranks_.alone()) return;
  ranks_.compare(stage_.staged() ? resolved_stages(stage_.plan()) : config_.complete,
                 {{"the data's fingerprint", data_ == nullptr ? "none" : data_->fingerprint()},
                  {"the fingerprints of the next stages' data",
                   stage_.staged() ? Json(fingerprints(stage_.plan())) : Json()},
                  {"the model's fingerprint", start_->fingerprint()},
                  {"the update to begin with", progress_.step},
                  {"the digest of the weights", digest_of_weights(learner_->parameters())}});
}

}  // namespace contrastive::run
