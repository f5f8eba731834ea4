// contrastive experiment: a table of a paper from one file: trains and measures every cell for
// every seed, and goes on where it was stopped.
#include <sys/file.h>

#include <algorithm>

#include "capi/program/experiment/make_run.h"
#include "capi/program/experiment/table.h"
#include "capi/program/failure.h"
#include "capi/program/files.h"
#include "capi/program/signals.h"
#include "core/base/nearest.h"

namespace contrastive::cli {
namespace {

struct ExperimentArguments {
  std::string file, output;
  std::vector<std::string> only;
  ExperimentOverrides overrides;
  bool dry_run = false, retry_failed = false;
};

// One process at a time works in an output folder.
class FolderLock {
 public:
  explicit FolderLock(const std::string& folder) : file_(open_lock(folder + "/.lock")) {
    if (flock(file_.get(), LOCK_EX | LOCK_NB) == 0) return;
    throw Failure(kExitFailure, cs_status_name(CS_ERROR_BUSY),
                  "another process makes the runs in '" + folder + "'");
  }

 private:
  Descriptor file_;
};

// The runs of --only, and those whose models they begin with; all of them without it.
std::vector<size_t> chosen_runs(const Plan& plan, const std::vector<std::string>& only) {
  std::vector<bool> chosen(plan.runs.size(), only.empty());
  std::vector<std::string> names;
  for (const Cell& cell : plan.cells) names.insert(names.end(), {cell.name, cell.row});
  for (const std::string& name : only) {
    if (std::find(names.begin(), names.end(), name) == names.end()) {
      const std::string close = nearest_name(name, names);
      throw usage_failure("--only '" + name + "': no row is called so",
                          close.empty() ? "--dry-run lists them" : "did you mean '" + close + "'?");
    }
    for (const Cell& cell : plan.cells) {
      if (cell.name != name && cell.row != name) continue;
      for (const size_t run : cell.runs) chosen[run] = true;
    }
  }
  for (size_t i = plan.runs.size(); i-- > 0;) {
    if (chosen[i] && plan.runs[i].source >= 0)
      chosen[static_cast<size_t>(plan.runs[i].source)] = true;
  }
  std::vector<size_t> numbers;
  for (size_t i = 0; i < chosen.size(); ++i) {
    if (chosen[i]) numbers.push_back(i);
  }
  return numbers;
}

std::string name_of(const Plan& plan, size_t run) {
  for (const Cell& cell : plan.cells) {
    if (std::find(cell.runs.begin(), cell.runs.end(), run) == cell.runs.end()) continue;
    return cell.runs.size() > 1 ? cell.name + ", seed " + std::to_string(plan.runs[run].seed)
                                : cell.name;
  }
  return plan.runs[run].folder;
}

std::string summary_of(const Run& run) {
  const Json& start = run.plan["start"];
  std::string text = "new model";
  if (start.contains("row")) text = "model of " + start["folder"].get<std::string>();
  if (start.contains("model")) text = start["model"].get<std::string>();
  for (const Json& step : run.plan["steps"]) {
    text += "; " + step["name"].get<std::string>() + ": " + step["config"].value("method", "") +
            " on " + step["train"].get<std::string>();
  }
  text += "; evaluate:";
  for (const Json& evaluation : run.plan["evaluate"])
    text += " " + evaluation["task"].get<std::string>();
  return text;
}

void list_runs(const ExperimentArguments& arguments, const Plan& plan,
               const std::vector<size_t>& runs, const std::vector<std::string>& missing_files,
               const Common& common) {
  Json list = Json::array();
  for (const size_t number : runs) {
    const Run& run = plan.runs[number];
    std::string status = "new", difference;
    if (!arguments.output.empty()) {
      const RunFolder folder(arguments.output, run);
      status = folder.agrees(difference) ? folder.result().status
                                         : "made with other settings: " + difference;
    }
    if (common.json) {
      list.push_back({{"name", name_of(plan, number)},
                      {"folder", run.folder},
                      {"seed", run.seed},
                      {"status", status},
                      {"plan", run.plan}});
    } else {
      print_line(run.folder + "  [" + status + "]\n    " + summary_of(run));
    }
  }
  if (common.json) {
    print_json(list);
  } else {
    print_line(counted(static_cast<int64_t>(runs.size()), "run"));
  }
  for (const std::string& missing : missing_files) {
    if (!common.quiet) std::fprintf(stderr, "missing: %s\n", missing.c_str());
  }
}

// Models that were trained here say themselves how they are pooled.
Json load_keys(const ExperimentFile& file, const Run& run) {
  const Json* start = &run.plan["start"];
  while (start->contains("trained_by")) start = &(*start)["trained_by"]["start"];
  Json keys = start->value("load", file.load);
  if (start->contains("create") && (*start)["create"].contains("device"))
    keys["device"] = (*start)["create"]["device"];
  keys.erase("pooling");
  return keys;
}

class Experiment {
 public:
  Experiment(const ExperimentArguments& arguments, const ExperimentFile& file, const Plan& plan,
             const Common& common)
      : arguments_(arguments), file_(file), plan_(plan), common_(common) {}

  void make(const std::vector<size_t>& runs) {
    refuse_other_settings(runs);
    make_folders(arguments_.output);
    const FolderLock lock(arguments_.output);
    for (const size_t number : runs) {
      if (stop_requested())
        throw Failure(kExitFailure, cs_status_name(CS_ERROR_CANCELLED), "stopped");
      make_one(runs, number);
    }
    write_table();
  }

  // Of all runs, as it stands on the disk. Printed, and what failed decides the exit code.
  void report(const std::vector<size_t>& runs) const {
    const Table table = make_table(file_, plan_, results());
    if (common_.json) {
      print_json(json_of(file_, table));
    } else if (!common_.quiet) {
      print(markdown_of(file_, table));
    }
    flush_stdout();
    int64_t failed = 0;
    for (const size_t run : runs)
      failed += RunFolder(arguments_.output, plan_.runs[run]).result().status == "failed" ? 1 : 0;
    if (failed > 0) {
      const std::string all = counted(static_cast<int64_t>(runs.size()), "run");
      throw Failure(kExitFailure, "FAILED",
                    std::to_string(failed) + " of " + all + " failed: the table says why",
                    "--retry-failed makes them again");
    }
  }

 private:
  // Before anything is computed: a changed file is noticed at once, not hours later.
  void refuse_other_settings(const std::vector<size_t>& runs) const {
    for (const size_t number : runs) {
      std::string difference;
      const RunFolder folder(arguments_.output, plan_.runs[number]);
      if (folder.agrees(difference)) continue;
      throw usage_failure("this run was made with other settings: " + difference,
                          "give another --output, or remove the folder of the run")
          .at(folder.path() + "/run.json");
    }
  }

  void make_one(const std::vector<size_t>& runs, size_t number) {
    const Run& run = plan_.runs[number];
    const RunFolder folder(arguments_.output, run);
    const Result before = folder.result();
    const bool again =
        before.status == "failed" && (arguments_.retry_failed || waited_for_a_model(run, before));
    if (again) folder.forget_failure();
    if (before.status == "finished") return finish(run, folder, before);
    if (before.status == "failed" && !again) return;
    const auto place = std::find(runs.begin(), runs.end(), number) - runs.begin() + 1;
    const std::string label =
        std::to_string(place) + "/" + std::to_string(runs.size()) + " " + name_of(plan_, number);
    const RunSettings settings{arguments_.output, label, load_keys(file_, run), file_.save_every};
    const Result result = make_run(plan_, run, settings, common_);
    if (result.status == "finished") {
      finish(run, folder, result);
    } else if (!common_.quiet) {
      std::fprintf(stderr, "%s failed: %s\n", label.c_str(), result.message.c_str());
    }
    write_table();
  }

  // For a run that was finished before as well: it may have been killed before its models were
  // removed.
  void finish(const Run& run, const RunFolder& folder, const Result& result) const {
    if (!file_.keep_models) folder.remove_models();
    check_figures(run, result);
  }

  // Failed for no other reason than that the run it begins with had not finished, which it has by
  // now.
  bool waited_for_a_model(const Run& run, const Result& result) const {
    if (run.source < 0 || result.code != kNoSource) return false;
    return RunFolder(arguments_.output, plan_.runs[static_cast<size_t>(run.source)])
               .result()
               .status == "finished";
  }

  // A place in a list that is not so long, or a metric that training does not have, is known after
  // the first run.
  void check_figures(const Run& run, const Result& result) const {
    try {
      for (size_t i = 0; i < file_.evaluate.size(); ++i) {
        EvaluationSpec spec = file_.evaluate[i];
        const Json* report =
            spec.task == "training" ? &result.metrics : result.report(run.plan["evaluate"][i]);
        const std::vector<std::string>& open = run.open[i];
        const auto is_open = [&](const auto& figure) {
          return std::find(open.begin(), open.end(), figure.first) != open.end();
        };
        spec.figures.erase(std::remove_if(spec.figures.begin(), spec.figures.end(), is_open),
                           spec.figures.end());
        if (report != nullptr && !report->is_null()) figures_of(spec, *report);
      }
    } catch (Failure& failure) {
      throw failure.at(file_.path);
    }
  }

  std::vector<Result> results() const {
    std::vector<Result> all;
    for (const Run& run : plan_.runs) {
      std::string difference;
      const RunFolder folder(arguments_.output, run);
      all.push_back(folder.agrees(difference) ? folder.result() : Result());
    }
    return all;
  }

  void write_table() const {
    const Table table = make_table(file_, plan_, results());
    write_text_file(arguments_.output + "/table.md", markdown_of(file_, table));
    write_text_file(arguments_.output + "/table.csv", csv_of(file_, table));
    write_text_file(arguments_.output + "/table.json", json_of(file_, table).dump(2) + "\n");
    if (const std::string matrix = matrix_csv_of(file_, table); !matrix.empty())
      write_text_file(arguments_.output + "/matrix.csv", matrix);
  }

  const ExperimentArguments& arguments_;
  const ExperimentFile& file_;
  const Plan& plan_;
  const Common& common_;
};

void run(const ExperimentArguments& arguments, const Common& common) {
  if (arguments.output.empty() && !arguments.dry_run)
    throw usage_failure("--output is needed: the folder for the runs and the table");
  const ExperimentFile file = read_experiment(arguments.file, arguments.overrides);
  Plan plan = make_plan(file);
  check_plan(file, plan);
  const std::vector<size_t> runs = chosen_runs(plan, arguments.only);
  const std::vector<std::string> missing = missing_files(plan, runs);
  if (missing.empty()) {
    for (const std::string& warning : settle_evaluations(file, plan, runs)) {
      if (!common.quiet) std::fprintf(stderr, "warning: %s\n", warning.c_str());
    }
  }
  if (arguments.dry_run) return list_runs(arguments, plan, runs, missing, common);
  if (!missing.empty()) {
    const std::string more =
        missing.size() > 1
            ? " (and " + counted(static_cast<int64_t>(missing.size()) - 1, "other") + ")"
            : "";
    throw Failure(kExitFiles, cs_status_name(CS_ERROR_NOT_FOUND), missing[0] + more,
                  "--dry-run lists all that is missing")
        .at(arguments.file);
  }
  Experiment experiment(arguments, file, plan, common);
  try {
    experiment.make(runs);
  } catch (Failure& failure) {
    if (failure.code != cs_status_name(CS_ERROR_CANCELLED)) throw;
    failure.message = "stopped; what was done is saved";
    failure.hint = "the same command goes on";
    throw;
  }
  experiment.report(runs);
}

}  // namespace

void add_experiment(CLI::App& program, Common& common) {
  static ExperimentArguments arguments;
  CLI::App* verb = add_verb(
      program, "experiment", "Make a table: train and measure a grid of settings over seeds",
      R"(  contrastive experiment consert-figure7.json --define DATA=data --define BERT_BASE=bert-base --output sweep
  contrastive experiment FILE --output sweep --dry-run          # what would be done, and what of it is done

An experiment file is a JSON object:
  "name", "about"        of the table
  "model" or "create"    where every run begins: a folder (with "load": keys of cs_model_load), or a new one (keys of `contrastive create`)
  "train", "dev", "base" training file, dev file and train keys; or "steps": a list of {"name", "train", "dev", "base"}, one after the other
  "rows"                 lines of the table: {"name", "set": {key: value}}; "steps": [] trains nothing; "model_of": another row's trained model
  "grid"                 key -> list of values, or labels with values: the cross product, for every row
  "seeds"                a run for each; "${SEED}" elsewhere stands for it
  "evaluate"             tasks: {"task", "config", "figures": {column: path in the report}, "scale"}; task "training": the trainer's metrics
  "averages", "lower", "matrix", "digits", "save_every", "keep_models", "variables"
A key of "set" and "grid" belongs to the training, or to "model:", "create:", "evaluate:", "TASK:" or "STEP:"; "model" and "train" are files, and null
takes a key back. ${NAME} comes from --define, the environment or "variables". examples/experiments/README.md tells more.

The output holds table.md, table.csv, table.json, matrix.csv for a grid of two keys (or rows and one key), and a folder for every run. The same command
again makes what is missing: it keeps finished runs and goes on with interrupted ones, bit for bit. The table shows a failed run, and the exit code is 1.
Deviations are those of a sample (n - 1). `contrastive report OUTPUT` shows everything on one page.)",
      common, [&common] { run(arguments, common); });
  verb->add_option("FILE", arguments.file, "experiment file")->required();
  add_option(verb, "-o,--output", arguments.output,
             "folder for the runs and the table; required without --dry-run");
  one_at_a_time(verb->add_option("--define", arguments.overrides.defines,
                                 "a variable of the file: --define DATA=folder"));
  one_at_a_time(verb->add_option("--set", arguments.overrides.assignments,
                                 "a setting over all rows: --set max_steps=20"));
  verb->add_option("--seeds", arguments.overrides.seeds,
                   "seeds in the place of the file's: --seeds 1,2,3")
      ->delimiter(',')
      ->check(CLI::NonNegativeNumber);
  one_at_a_time(
      verb->add_option("--only", arguments.only, "only this row or cell; may be repeated"));
  verb->add_flag("-n,--dry-run", arguments.dry_run, "check the file and list the runs");
  verb->add_flag("--retry-failed", arguments.retry_failed,
                 "make failed runs again, from what failed");
}

}  // namespace contrastive::cli
