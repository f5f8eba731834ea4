#include "capi/program/experiment/make_run.h"

#include "capi/program/failure.h"
#include "capi/program/files.h"
#include "capi/program/signals.h"
#include "capi/program/trainer_loop.h"
#include "capi/program/metrics_record.h"

namespace contrastive::cli {
namespace {

ConfigHandle config_of(const Json& keys) {
  Outcome outcome;
  ConfigHandle config(cs_config_parse(keys.dump().c_str(), outcome));
  outcome.check();
  return config;
}

Model load(const std::string& path, const Json& keys) {
  const ConfigHandle config = config_of(keys);
  Outcome outcome;
  Model model(cs_model_load(path.c_str(), config.get(), outcome));
  outcome.check();
  return model;
}

Model create(const Json& recipe) {
  const ConfigHandle config = config_of(recipe);
  Outcome outcome;
  Model model(cs_model_create(config.get(), outcome));
  outcome.check();
  return model;
}

Json metrics_of(const cs_trainer* trainer) {
  Outcome outcome;
  const String text(cs_trainer_metrics(trainer, outcome));
  outcome.check();
  return Json::parse(text.get());
}

class RunMaker {
 public:
  RunMaker(const Plan& plan, const Run& run, const RunSettings& settings, const Common& common)
      : plan_(plan), run_(run), settings_(settings), common_(common),
        folder_(settings.output, run) {}

  Result make() {
    folder_.open();
    result_ = folder_.result();
    if (result_.status == "finished" || result_.status == "failed") return result_;
    result_.status = "begun";
    try {
      train();
      evaluate();
      result_.status = "finished";
    } catch (const Failure& failure) {
      const std::string cancelled = cs_status_name(CS_ERROR_CANCELLED);
      if (failure.code == cancelled || failure.exit_code == kExitFiles ||
          failure.exit_code == kExitBrokenPipe)
        throw;
      result_.status = "failed";
      result_.code = failure.code;
      result_.message =
          (failure.file.empty() ? "" : failure.file + ":" + std::to_string(failure.line) + ": ") +
          failure.message;
    }
    folder_.write(result_);
    return result_;
  }

 private:
  const Json& steps() const { return run_.plan["steps"]; }

  // The model that a run leaves, or, where it trains nothing, the one that it begins with.
  Model trained_by(const Run& run) const {
    const Json& its_steps = run.plan["steps"];
    if (its_steps.empty()) return start_of(run);
    const std::string path = RunFolder(settings_.output, run).model_path(its_steps.back());
    if (!exists(path)) {
      throw Failure(kExitFiles, "NOT_FOUND", "'" + path + "', the model of this run, was removed",
                    "remove " + run.folder + " too, and it is made again");
    }
    return load(path, settings_.load);
  }
  Model start_of(const Run& run) const {
    if (run.source >= 0) {
      const Run& source = plan_.runs[static_cast<size_t>(run.source)];
      const Result its_result = RunFolder(settings_.output, source).result();
      if (its_result.status != "finished") {
        throw Failure(kExitFailure, kNoSource,
                      "the run it begins with, " + source.folder +
                          ", has not finished: " + its_result.message);
      }
      return trained_by(source);
    }
    const Json& start = run.plan["start"];
    return start.contains("create") ? create(start["create"])
                                    : load(start["model"].get<std::string>(), start["load"]);
  }

  void train() {
    for (size_t i = 0; i < steps().size(); ++i) {
      if (folder_.step_is_over(steps()[i])) {
        remove_folder(folder_.step_path(steps()[i]) +
                      "/unfinished");  // of a process that was killed while it tidied up
        continue;
      }
      const Model model =
          i == 0 ? start_of(run_) : load(folder_.model_path(steps()[i - 1]), settings_.load);
      train_step(steps()[i], model.get());
    }
    if (!steps().empty()) result_.metrics = folder_.metrics_of(steps().back());
  }

  // As it was saved last, where it was.
  Trainer begin(const Json& step, cs_model* model, const std::string& state) const {
    const Json& all = step["config"];
    Json of_data = Json::object();
    for (const auto& [key, value] : all.items()) {
      if (key.rfind("data.", 0) == 0) of_data[key] = value;
    }
    Outcome opened;
    const ConfigHandle data_config = config_of(of_data);
    const Dataset data(
        cs_dataset_open(step["train"].get<std::string>().c_str(), data_config.get(), opened));
    opened.check();
    const ConfigHandle config = config_of(all);
    Outcome outcome;
    Trainer trainer(exists(state)
                        ? cs_trainer_resume(state.c_str(), model, data.get(), config.get(), outcome)
                        : cs_trainer_new(model, data.get(), config.get(), outcome));
    outcome.check();
    return trainer;
  }

  void train_step(const Json& step, cs_model* model) {
    const std::string path = folder_.step_path(step), state = path + "/unfinished/state";
    make_folders(path + "/unfinished");
    const Trainer trainer = begin(step, model, state);
    write_config(trainer.get(), path);
    MetricsRecord record(exists(state) ? path : "", trainer.get());
    // The record first: it may be ahead of the state that a killed process goes on from, and never
    // behind it.
    const auto save = [&] {
      record.write(path);
      save_run(trainer.get(), state);
    };
    const std::string verb =
        settings_.label + (steps().size() > 1 ? ", " + step["name"].get<std::string>() : "");
    const auto stepped = [&](int64_t number) {
      record.add(trainer.get());
      if (number % settings_.save_every == 0) save();
    };
    bool over = false;
    try {
      over = train_steps(trainer.get(), verb, common_, stepped);
    } catch (const Failure&) {
      record.write(path);  // how it came to that
      throw;
    }
    if (!over) {
      if (cs_trainer_metric(trainer.get(), "step") > 0) save();
      throw Failure(kExitFailure, cs_status_name(CS_ERROR_CANCELLED), "stopped");
    }
    record.write(path);
    save_best_of_run(trainer.get(), folder_.model_path(step));
    write_text_file(path + kStepMetrics, metrics_of(trainer.get()).dump(2) + "\n");
    remove_folder(path + "/unfinished");
  }

  void evaluate() {
    Model model;
    for (size_t i = 0; i < run_.plan["evaluate"].size(); ++i) {
      const Json& evaluation = run_.plan["evaluate"][i];
      const bool left_out = i < run_.measured.size() && !run_.measured[i];
      if (evaluation["task"] == "training" || left_out || result_.report(evaluation) != nullptr)
        continue;
      if (model == nullptr) model = trained_by(run_);
      if (common_.progress())
        std::fprintf(stderr, "%s: %s\n", settings_.label.c_str(),
                     evaluation["task"].get<std::string>().c_str());
      const ConfigHandle config = config_of(evaluation["config"]);
      Outcome outcome;
      const String text(cs_evaluate(model.get(), evaluation["task"].get<std::string>().c_str(),
                                    config.get(), cancel_flag(), outcome));
      outcome.check();
      result_.reports.push_back({{"task", evaluation["task"]},
                                 {"config", evaluation["config"]},
                                 {"report", Json::parse(text.get())}});
      folder_.write(result_);  // what was measured is not measured again
    }
  }

  const Plan& plan_;
  const Run& run_;
  const RunSettings& settings_;
  const Common& common_;
  RunFolder folder_;
  Result result_;
};

}  // namespace

Result make_run(const Plan& plan, const Run& run, const RunSettings& settings,
                const Common& common) {
  return RunMaker(plan, run, settings, common).make();
}

}  // namespace contrastive::cli
