#include "capi/program/experiment/plan.h"

#include <algorithm>
#include <set>

#include "capi/program/failure.h"
#include "core/base/nearest.h"

namespace contrastive::cli {
namespace {

// A run while settings are laid over it, in order: the file, the row, the grid, --set.
class Draft {
 public:
  Draft(const ExperimentFile& file, const RowSpec& row)
      : model_(file.model), load_(file.load), create_(file.create),
        steps_(row.steps ? *row.steps : file.steps), evaluate_(file.evaluate),
        begins_elsewhere_(!row.model_of.empty()) {}

  // `key`: of the training ("lr"), or "SCOPE:key" with model, create, evaluate, a task or a step as
  // the scope; "model" and "train" are files. null takes a setting back.
  void set(const std::string& key, const Json& value) {
    const size_t colon = key.find(':');
    const std::string scope = colon == std::string::npos ? "" : key.substr(0, colon),
                      name = key.substr(colon == std::string::npos ? 0 : colon + 1);
    if (scope.empty()) {
      if (name == "model") return set_model(value);
      if (name == "seed")
        throw usage_failure("setting 'seed': the seeds of the runs are those of the key 'seeds'");
      if (steps_.empty())
        throw usage_failure("setting '" + key + "': this row trains nothing",
                            "\"grid\": false leaves a row out of the grid");
      for (StepSpec& step : steps_) set_in_step(step, name, value);
    } else if (scope == "model") {
      loading_ = key;
      put(load_, name, value);
    } else if (scope == "create") {
      if (create_.empty())
        throw usage_failure("setting '" + key +
                            "': nothing is created, the run begins with a model");
      put(create_, name, value);
    } else if (!set_in_steps(scope, name, value) && !set_in_tasks(scope, name, value)) {
      const std::string close = nearest_name(scope, scopes());
      throw usage_failure("setting '" + key + "': '" + scope +
                              "' is no step and no task of this run",
                          close.empty() ? "model, create, evaluate, a step or a task is meant"
                                        : "did you mean '" + close + ":" + name + "'?");
    }
  }
  // Whether this run has something that `key` can be said of: --set is for the rows that do.
  bool accepts(const std::string& key) const {
    const size_t colon = key.find(':');
    const std::string scope = key.substr(0, colon == std::string::npos ? 0 : colon);
    if (scope.empty()) return key == "model" ? !begins_elsewhere_ : !steps_.empty();
    if (scope == "create") return !create_.empty();
    if (scope == "model") return !begins_elsewhere_ && create_.empty();
    const std::vector<std::string> known = scopes();
    return std::find(known.begin(), known.end(), scope) != known.end();
  }
  void set_all(const Json& settings) {
    for (const auto& [key, value] : settings.items()) set(key, value);
  }

  Json plan(int64_t seed) const {
    Json plan = {{"start", start()}, {"steps", Json::array()}, {"evaluate", Json::array()}};
    for (const StepSpec& step : steps_) {
      if (step.train.empty())
        throw usage_failure("key 'train' is missing: the file that step '" + step.name +
                            "' trains on");
      Json config = sorted(step.config);
      config["seed"] = seed;
      plan["steps"].push_back({{"name", step.name}, {"train", step.train}, {"config", config}});
    }
    for (const EvaluationSpec& evaluation : evaluate_)
      plan["evaluate"].push_back(
          {{"task", evaluation.task}, {"config", sorted(evaluation.config)}});
    return with_seed(plan, seed);
  }

 private:
  static void put(Json& object, const std::string& key, const Json& value) {
    if (value.is_null()) {
      object.erase(key);
    } else {
      object[key] = value;
    }
  }
  // A config says the same in any order, and a run.json compares as text.
  static Json sorted(const Json& object) { return Json(nlohmann::json::parse(object.dump())); }

  Json start() const {
    if (!loading_.empty() && (begins_elsewhere_ || !create_.empty())) {
      throw usage_failure("setting '" + loading_ +
                          "': no model folder is loaded, the run begins with " +
                          (begins_elsewhere_ ? "the model of another row" : "a new model"));
    }
    if (begins_elsewhere_) return Json::object();
    if (!create_.empty()) return {{"create", sorted(create_)}};
    if (model_.is_null())
      throw usage_failure(
          "key 'model' is missing: a model folder, or 'create' with the keys of a new one");
    return {{"model", model_}, {"load", sorted(load_)}};
  }
  void set_model(const Json& value) {
    if (!value.is_string())
      throw usage_failure("setting 'model' takes a folder, not " + value.dump());
    model_ = value;
    create_ = Json::object();
  }
  static void set_in_step(StepSpec& step, const std::string& key, const Json& value) {
    if (key != "train") return put(step.config, key, value);
    if (!value.is_string())
      throw usage_failure("setting 'train' takes a file, not " + value.dump());
    step.train = value.get<std::string>();
  }
  bool set_in_steps(const std::string& scope, const std::string& key, const Json& value) {
    bool found = false;
    for (StepSpec& step : steps_) {
      if (step.name != scope) continue;
      set_in_step(step, key, value);
      found = true;
    }
    return found;
  }
  bool set_in_tasks(const std::string& scope, const std::string& key, const Json& value) {
    bool found = scope == "evaluate";
    for (EvaluationSpec& evaluation : evaluate_) {
      if (evaluation.task == "training" || (scope != "evaluate" && scope != evaluation.task))
        continue;
      put(evaluation.config, key, value);
      found = true;
    }
    return found;
  }
  std::vector<std::string> scopes() const {
    std::vector<std::string> names = {"model", "create", "evaluate"};
    for (const StepSpec& step : steps_) names.push_back(step.name);
    for (const EvaluationSpec& evaluation : evaluate_) names.push_back(evaluation.task);
    return names;
  }

  Json model_, load_, create_;
  std::string loading_;  // the last setting of how the model is loaded
  std::vector<StepSpec> steps_;
  std::vector<EvaluationSpec> evaluate_;
  bool begins_elsewhere_;
};

// A name as part of a path: what is neither letter, digit nor harmless becomes '-'.
std::string path_part(const std::string& name) {
  std::string part;
  for (const char c : name) {
    const bool plain = std::isalnum(static_cast<unsigned char>(c)) != 0 ||
                       (c != '\0' && std::string("._+=-").find(c) != std::string::npos);
    if (plain || part.empty() || part.back() != '-') part += plain ? c : '-';
  }
  while (!part.empty() && (part.back() == '-' || part.back() == '.')) part.pop_back();
  part.erase(0, std::min(part.find_first_not_of('.'), part.size()));
  part.resize(std::min<size_t>(part.size(), 120));
  return part.empty() ? "run" : part;
}

std::string unused(const std::string& name, std::set<std::string>& used) {
  std::string free = name;
  for (int i = 2; !used.insert(free).second; ++i) free = name + "~" + std::to_string(i);
  return free;
}

class Planner {
 public:
  explicit Planner(const ExperimentFile& file) : file_(file) {}

  Plan plan() {
    for (const RowSpec& row : file_.rows) {
      std::vector<size_t> choice(row.in_grid ? file_.grid.size() : 0, 0);
      do add_cell(row, choice);
      while (next(choice));
    }
    for (const auto& [key, value] : file_.overrides.items()) {
      if (used_.count(key) == 0)
        throw usage_failure("--set '" + key + "': no row has such a setting");
    }
    return std::move(plan_);
  }

 private:
  // The last key of the grid runs fastest.
  bool next(std::vector<size_t>& choice) const {
    for (size_t i = choice.size(); i-- > 0;) {
      if (++choice[i] < file_.grid[i].values.size()) return true;
      choice[i] = 0;
    }
    return false;
  }

  void add_cell(const RowSpec& row, const std::vector<size_t>& choice) {
    Cell cell;
    cell.row = cell.name = row.name;
    std::string folder = row.name;
    for (size_t i = 0; i < choice.size(); ++i) {
      cell.labels.push_back(file_.grid[i].values[choice[i]].first);
      cell.name += (cell.name.empty() ? "" : ", ") + cell.labels.back();
      folder += (folder.empty() ? "" : ",") + cell.labels.back();
    }
    if (cell.name.empty()) cell.name = file_.name;
    try {
      Draft draft(file_, row);
      draft.set_all(row.settings);
      for (size_t i = 0; i < choice.size(); ++i)
        draft.set_all(file_.grid[i].values[choice[i]].second);
      for (const auto& [key, value] : file_.overrides.items()) {
        if (!draft.accepts(key)) continue;
        draft.set(key, value);
        used_.insert(key);
      }
      add_runs(cell, row, draft, "runs/" + unused(path_part(folder), folders_));
    } catch (Failure& failure) {
      failure.message = "'" + cell.name + "': " + failure.message;
      throw failure.at(file_.path);
    }
    plan_.cells.push_back(std::move(cell));
  }

  void add_runs(Cell& cell, const RowSpec& row, const Draft& draft, const std::string& folder) {
    Json first;
    for (const int64_t seed : file_.seeds) {
      Run run;
      run.seed = seed;
      run.folder = folder + "/seed-" + std::to_string(seed);
      run.plan = draft.plan(seed);
      if (!row.model_of.empty()) {
        run.source = source_of(row, cell, seed);
        const Run& source = plan_.runs[run.source];
        const Json training = {{"start", source.plan["start"]}, {"steps", source.plan["steps"]}};
        run.plan["start"] = {{"row", row.model_of},
                             {"folder", source.folder},
                             {"trained_by", training}};
      }
      if (run.plan == first) continue;  // the seed changes nothing: once is enough
      if (first.is_null()) first = run.plan;
      cell.runs.push_back(plan_.runs.size());
      plan_.runs.push_back(std::move(run));
    }
  }

  int source_of(const RowSpec& row, const Cell& cell, int64_t seed) const {
    for (const Cell& other : plan_.cells) {
      if (other.row != row.model_of || (other.labels != cell.labels && !other.labels.empty()))
        continue;
      for (const size_t run : other.runs) {
        if (plan_.runs[run].seed == seed || other.runs.size() == 1) return static_cast<int>(run);
      }
    }
    throw usage_failure("key 'model_of': row '" + row.model_of +
                        "' has no run with the same value of the grid");
  }

  const ExperimentFile& file_;
  Plan plan_;
  std::set<std::string> folders_, used_;  // used_: keys of --set
};

}  // namespace

Plan make_plan(const ExperimentFile& file) { return Planner(file).plan(); }

}  // namespace contrastive::cli
