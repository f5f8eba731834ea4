// contrastive train: a training loop around cs_train_step for a terminal, with progress, a log, and
// a Ctrl-C that loses nothing.
#include <cmath>
#include <optional>

#include "capi/program/failure.h"
#include "capi/program/files.h"
#include "capi/program/local_ranks.h"
#include "capi/program/signals.h"
#include "capi/program/terminal.h"
#include "capi/program/trainer_loop.h"
#include "capi/program/metrics_record.h"
#include "capi/program/verb.h"

namespace contrastive::cli {
namespace {

struct TrainArguments {
  ModelArguments model;
  std::string method, train, dev, output, resume, format, cache, metrics_file, checkpoints, ranks;
  std::optional<int64_t> max_steps, batch_size, epochs, seed, eval_every, patience, save_every;
  std::optional<std::string> lr;
  bool force = false, last = false, dry_run = false;
};

Settings settings_of(const TrainArguments& arguments) {
  Settings settings = arguments.model.settings();
  for (const char* topic : {"model", "data", "train"}) settings.use_topic(topic);
  const auto set = [&](const char* key, const auto& value) {
    if (value) settings.set_flag(key, *value);
  };
  const auto text = [](const std::string& value) {
    return value.empty() ? std::nullopt : std::make_optional(value);
  };
  set("method", text(arguments.method));
  set("dev", text(arguments.dev));
  set("data.format", text(arguments.format == "txt" ? "text" : arguments.format));
  set("cache", text(arguments.cache));
  set("metrics_file", text(arguments.metrics_file));
  set("checkpoints", text(arguments.checkpoints));
  if (!arguments.checkpoints.empty()) set("save_every", arguments.save_every);
  set("max_steps", arguments.max_steps);
  set("batch_size", arguments.batch_size);
  set("epochs", arguments.epochs);
  set("seed", arguments.seed);
  set("eval_every", arguments.eval_every);
  set("patience", arguments.patience);
  set("lr", arguments.lr);
  return settings;
}

void check_output(const TrainArguments& arguments) {
  if (arguments.output.empty()) throw usage_failure("--output is empty: a folder is needed");
  if (is_same_file(arguments.output, arguments.model.model))
    throw usage_failure("--output is the model that training starts from: name another folder");
  const bool continued =
      !arguments.resume.empty() && is_same_file(arguments.output, arguments.resume);
  if (exists(arguments.output) && !arguments.force && !continued) {
    throw usage_failure("'" + arguments.output + "' exists", "use --force to replace it");
  }
  check_model_place(arguments.output);  // now, so that saving does not fail after the training
}

// Saving replaces the output folder as a whole, so files that the run writes otherwise must not be
// in it.
void check_places(const std::string& output, const Json& config) {
  for (const char* key : {"cache", "checkpoints", "metrics_file", "metrics_csv"}) {
    const std::string place = text_of(config, key);
    if (!place.empty() && lies_in(place, output))
      throw usage_failure(std::string(key) + " '" + place + "' is in the output '" + output +
                              "', which is replaced as a whole",
                          "choose a path outside of it");
  }
}

// The training config together with the device and precision that the model is loaded with, so that
// they are checked too.
ConfigHandle checked_config(const Settings& settings) {
  ConfigHandle config = settings.config("train", true);
  Outcome outcome;
  const String text(cs_config_to_json(settings.config("model", false).get(), outcome));
  outcome.check();
  set_load_keys(config.get(), Json::parse(text.get()));
  return config;
}

// --dry-run: prints the config, or fails with the error that the run would fail with. It opens
// neither the training file nor the weights. They need not exist.
void check_only(const TrainArguments& arguments, const Settings& settings, const Common& common) {
  const ConfigHandle config = checked_config(settings);
  const std::string& model = arguments.model.model;
  Outcome outcome;
  cs_trainer_check(config.get(), nullptr, exists(model) ? model.c_str() : nullptr, outcome);
  outcome.check();
  if (common.json) {
    print_json({{"config", json_of(config.get())}});
  } else if (!common.quiet) {
    print_line("the config is valid");
  }
}

// Reports errors in the config, for this model and these examples (null: any), before the weights
// are read.
void check_config(const TrainArguments& arguments, const Settings& settings,
                  const cs_dataset* data) {
  if (!arguments.resume.empty()) return;  // the saved run's config decides
  Outcome outcome;
  cs_trainer_check(checked_config(settings).get(), data, arguments.model.model.c_str(), outcome);
  outcome.check();
}

Trainer make_trainer(const TrainArguments& arguments, const Settings& settings, cs_model* start,
                     const cs_dataset* data) {
  const ConfigHandle config = settings.config("train", true);
  Outcome outcome;
  Trainer trainer(arguments.resume.empty() ? cs_trainer_new(start, data, config.get(), outcome)
                                           : cs_trainer_resume(arguments.resume.c_str(), start,
                                                               data, config.get(), outcome));
  outcome.check();
  return trainer;
}

// Saves the run as it is now, and its metrics.
void save(const cs_trainer* trainer, const MetricsRecord& record, const std::string& folder) {
  record.write_around(folder, [&] { save_run(trainer, folder); });
}

// Of several ranks only the first one writes files and prints messages.
bool is_first(const cs_trainer* trainer) { return !(cs_trainer_metric(trainer, "rank") > 0); }

// Whether the run has made an update, in this stage or in one before.
bool has_updates(const cs_trainer* trainer) {
  return cs_trainer_metric(trainer, "step") > 0 || cs_trainer_metric(trainer, "stage") > 1;
}

// A path next to `folder` that does not exist yet.
std::string free_place_beside(std::string folder) {
  while (folder.size() > 1 && folder.back() == '/') folder.pop_back();
  std::string place = folder + ".unsaved";
  for (int i = 2; exists(place); ++i) place = folder + ".unsaved-" + std::to_string(i);
  return place;
}

struct SavedPlace {
  std::string folder;
  std::optional<Failure> refusal;  // why it is not the requested folder
};

// Saves into `folder`, or next to it if that fails, for example because somebody else has put a
// file there: the result of hours must not be lost. If both fail, throws the first failure.
template <class Save>
SavedPlace save_or_beside(const std::string& folder, const Save& save) {
  try {
    save(folder);
    return {folder, {}};
  } catch (const Failure& refusal) {
    const std::string place = free_place_beside(folder);
    try {
      save(place);
    } catch (const Failure&) {
      throw refusal;
    }
    return {place, refusal};
  }
}

// Saves a run that fails, so that hours of training are not lost. Rethrows the failure, with the
// folder of the saved run in its message.
[[noreturn]] void save_and_rethrow(const cs_trainer* trainer, const MetricsRecord& record,
                                   const TrainArguments& arguments, Failure failure) {
  try {
    const SavedPlace saved = save_or_beside(arguments.output, [&](const std::string& folder) {
      save(trainer, record, folder);
    });
    failure.message += "; the run is saved" + (saved.refusal ? " in " + saved.folder : "");
    failure.hint += (failure.hint.empty() ? "" : "; ") + ("go on with --resume " + saved.folder);
  } catch (const Failure& second) {
    failure.message += "; the run could not be saved: " + second.message;
  }
  throw failure;
}

// Steps until the run is over (true) or the user asks to stop (false).
bool train(cs_trainer* trainer, MetricsRecord& record, const TrainArguments& arguments,
           const Common& common) {
  const int64_t every =
      arguments.checkpoints.empty() && arguments.save_every ? *arguments.save_every : 0;
  return train_steps(trainer, "training", common, [&](int64_t step) {
    record.add(trainer);
    if (every > 0 && step % every == 0) save(trainer, record, arguments.output);
  });
}

// Whether the current stage selects the best weights: by a dev file, or by a task.
bool selects(const cs_trainer* trainer) {
  Outcome outcome;
  const String text(cs_trainer_config(trainer, outcome));
  outcome.check();
  const Json config = Json::parse(text.get());
  const double stage = cs_trainer_metric(trainer, "stage");
  const std::string prefix =
      std::isfinite(stage) ? "stage" + std::to_string(static_cast<int64_t>(stage)) + "." : "";
  return config.value(prefix + "dev", "") != "" ||
         config.value(prefix + "dev_select", "dev") != "dev";
}

// Why the last weights, and not the best ones, are the result of a finished run.
std::string reason_for_the_last(const cs_trainer* trainer, const TrainArguments& arguments) {
  if (!selects(trainer)) return "no dev set chooses better ones";
  return arguments.last ? "--last requests them" : "no evaluation gave a figure to choose by";
}

// `last_because`: why the last weights were saved; empty if the best ones were.
void report(const cs_trainer* trainer, const std::string& folder, const std::string& last_because,
            const Common& common) {
  Outcome outcome;
  const String text(cs_trainer_metrics(trainer, outcome));
  outcome.check();
  if (common.json) {
    Json result = {{"output", folder}, {"weights", last_because.empty() ? "best" : "last"}};
    if (!last_because.empty()) result["last_because"] = last_because;
    result["metrics"] = Json::parse(text.get());
    print_json(result);
  } else if (!common.quiet) {
    const std::string kept =
        last_because.empty() ? "the best weights" : "the last weights, as " + last_because;
    const std::string steps = with_commas(static_cast<int64_t>(cs_trainer_metric(trainer, "step")));
    std::fprintf(stderr, "%s after %s steps: %s (%s)\n", folder.c_str(), steps.c_str(),
                 metrics_line(trainer).c_str(), kept.c_str());
  }
}

// The names of the methods; "" if the training plugin is not installed, which the verb reports.
std::string method_names() {
  const String text(cs_config_describe("train", nullptr));
  if (text == nullptr) return "";
  std::string names;
  for (const Json& row : Json::parse(text.get())) {
    if (row["key"] != "method") continue;
    for (const Json& name : row["values"])
      names += (names.empty() ? "" : ", ") + name.get<std::string>();
  }
  return names;
}

void run(const TrainArguments& arguments, const Common& common) {
  Settings settings = settings_of(arguments);
  if (arguments.dry_run) return check_only(arguments, settings, common);
  check_output(arguments);
  check_places(arguments.output, json_of(settings.config("train", true).get()));
  LocalRanks ranks(arguments.ranks, settings);
  check_config(arguments, settings, nullptr);
  Outcome outcome;
  const Dataset data(
      cs_dataset_open(arguments.train.c_str(), settings.config("data", false).get(), outcome));
  outcome.check();
  check_config(arguments, settings, data.get());
  const Model start = load_model(arguments.model, settings, false);
  ranks.start(common.threads_given());
  const Trainer trainer = make_trainer(arguments, settings, start.get(), data.get());
  Outcome resolved;
  const String own(cs_trainer_config(trainer.get(), resolved));
  resolved.check();
  check_places(arguments.output, Json::parse(own.get()));  // a saved run may have other paths
  const bool first = is_first(trainer.get());
  MetricsRecord record(arguments.resume, trainer.get());
  const double begun = cs_trainer_metric(trainer.get(), "step");
  bool over = false;
  try {
    over = train(trainer.get(), record, arguments, common);
  } catch (const Failure& failure) {
    if (!first || !has_updates(trainer.get())) throw;
    save_and_rethrow(trainer.get(), record, arguments, failure);
  }
  const char* const cancelled = cs_status_name(CS_ERROR_CANCELLED);
  if (!first && over) return;
  if (over && !arguments.resume.empty() && cs_trainer_metric(trainer.get(), "step") == begun)
    print_warning("the run in '" + arguments.resume +
                  "' was finished already: there is nothing to do; a larger --max-steps or "
                  "--epochs continues it");
  if (!over && (!first || !has_updates(trainer.get())))
    throw Failure(kExitFailure, cancelled,
                  first ? "stopped before the first step" : "stopped; rank 0 saves the run");
  const bool selected = std::isfinite(cs_trainer_metric(trainer.get(), "best_dev"));
  const bool best = over && selected && !arguments.last;
  const SavedPlace saved = save_or_beside(arguments.output, [&](const std::string& folder) {
    if (best) record.write_around(folder, [&] { save_best_of_run(trainer.get(), folder); });
    else save(trainer.get(), record, folder);
  });
  if (saved.refusal) {
    Failure failure = *saved.refusal;
    failure.message += "; the model is saved in " + saved.folder;
    throw failure;
  }
  const std::string last_because = best   ? ""
                                   : over ? reason_for_the_last(trainer.get(), arguments)
                                          : "the run was stopped";
  report(trainer.get(), arguments.output, last_because, common);
  if (!over)
    throw Failure(kExitFailure, cancelled, "stopped; the run is saved",
                  "go on with --resume " + arguments.output);
}

}  // namespace

void describe_methods(CLI::App& train) {
  const std::string names = method_names();
  if (!names.empty()) train.get_option("--method")->description("training method: " + names);
}

void add_train(CLI::App& program, Common& common) {
  static TrainArguments arguments;
  CLI::App* verb = add_verb(
      program, "train", "Train a model on texts or pairs of texts",
      R"(  contrastive train --method clsr --model DIR --train pairs.tsv --dev dev.tsv --output out --max-steps 500 --batch-size 64
  contrastive train --config out/run.json --model DIR --train pairs.tsv --output again --set clsr.temperature=0.05
  contrastive train --method reranker --model DIR --train triplets.jsonl --dev dev-triplets.jsonl --output my-reranker --set reranker.loss=listwise)",
      common, [&common] { run(arguments, common); });
  arguments.model.any_kind = true;
  add_model_options(verb, arguments.model);
  add_option(verb, "--method", arguments.method, "training method");
  // Done lazily, because it loads LibTorch, which the other verbs do not need.
  verb->preparse_callback([verb](size_t) { describe_methods(*verb); });
  add_option(verb, "--train", arguments.train,
             "txt (one text a line), tsv (text, text, optionally a score) or jsonl; use --set "
             "data.header=true if the first line contains the column names")
      ->required();
  add_option(verb, "--dev", arguments.dev,
             "file whose score chooses the best weights: score, text, text (or text, text, score); "
             "or query, document; for a reranker also query, right and wrong documents");
  add_option(verb, "-o,--output", arguments.output,
             "folder for the result: the best model on --dev; without --dev the last model, with "
             "the state that --resume needs")
      ->required();
  add_option(verb, "--max-steps", arguments.max_steps,
             "updates of the weights; 0: as --epochs says");
  add_option(verb, "--batch-size", arguments.batch_size, "examples in a batch");
  add_option(verb, "--epochs", arguments.epochs,
             "passes over the training file; with --max-steps the shorter run applies");
  add_option(verb, "--lr", arguments.lr, "peak learning rate; default: the method's");
  add_option(verb, "--seed", arguments.seed, "number that decides every random choice; default 1");
  add_option(verb, "--eval-every", arguments.eval_every,
             "updates between two evaluations on --dev; default: one at the end");
  add_option(
      verb, "--patience", arguments.patience,
      "evaluations on --dev without a better score before the run ends early; default: never");
  add_option(verb, "--save-every", arguments.save_every,
             "updates between two saves of the run, to --checkpoints or else to --output; default: "
             "at the end");
  add_option(verb, "--checkpoints", arguments.checkpoints,
             "folder for checkpoints: the newest ones, and the best on --dev");
  add_option(verb, "--cache", arguments.cache,
             "folder that stores what a method computes once, for later runs");
  add_option(verb, "--metrics-file", arguments.metrics_file,
             "file that gets a JSON line of metrics at every update");
  verb->add_option("--ranks", arguments.ranks,
                   "processes that share the run, each with a part of every batch: a number of "
                   "processes on this machine; or env, if torchrun, mpirun, srun or a Kubernetes "
                   "Indexed Job starts them. With a number, the processes share the threads of "
                   "this machine, unless --threads sets the number for each");
  add_option(verb, "--resume", arguments.resume,
             "folder to resume from: an interrupted run, or checkpoints, whose newest is used");
  add_option(verb, "--format", arguments.format,
             "txt, tsv or jsonl; default: by the training file's name, else its first line");
  verb->add_flag("--last", arguments.last,
                 "keep the last weights and the state, even if --dev chose better ones");
  verb->add_flag("-f,--force", arguments.force, "replace an existing output");
  verb->add_flag("-n,--dry-run", arguments.dry_run,
                 "check the config and train nothing; the model and the training file need not "
                 "exist yet");
}

}  // namespace contrastive::cli
