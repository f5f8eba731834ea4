// An experiment's configs as the library sees them, before anything is computed.
#include <algorithm>
#include <map>
#include <set>

#include "capi/program/experiment/plan.h"
#include "capi/program/failure.h"
#include "capi/program/files.h"
#include "capi/program/handle.h"
#include "capi/program/settings.h"
#include "core/base/nearest.h"

namespace contrastive::cli {
namespace {

// The rows of a topic of cs_config_describe, read once.
class Topics {
 public:
  const Json& rows(const std::string& topic) {
    const auto found = rows_.find(topic);
    if (found != rows_.end()) return found->second;
    Outcome outcome;
    const String text(cs_config_describe(topic.c_str(), outcome));
    outcome.check();
    return rows_[topic] = Json::parse(text.get());
  }

 private:
  std::map<std::string, Json> rows_;
};

bool fits(const Json& row, const Json& value) {
  const std::string type = row.value("type", "");
  const bool text = value.is_string();
  if (type == "integer" || type == "real") return value.is_number();
  if (type == "boolean") return value.is_boolean();
  if (type == "list") return value.is_array() || value.is_number() || text;  // "a,b" too
  if (type == "choice" && row.contains("values"))
    return text &&
           std::find(row["values"].begin(), row["values"].end(), value) != row["values"].end();
  return text;
}

// What the library would say of these keys without the files behind them.
void check_keys(const Json& config, const Json& rows, const std::string& place) {
  std::vector<std::string> names;
  for (const Json& row : rows) names.push_back(row["key"].get<std::string>());
  for (const auto& [key, value] : config.items()) {
    const auto found = std::find(names.begin(), names.end(), key);
    if (found == names.end()) {
      const std::string close = nearest_name(key, names);
      throw usage_failure(place + ": key '" + key + "' is not known",
                          close.empty() ? "" : "did you mean '" + close + "'?");
    }
    const Json& row = rows[static_cast<size_t>(found - names.begin())];
    if (fits(row, value)) continue;
    throw usage_failure(place + ": key '" + key + "' does not take " + value.dump(),
                        row.contains("values") ? "one of " + row["values"].dump()
                                               : "it takes: " + row.value("type", "text"));
  }
}

// What the library says of a training config; its message behind `place`. `model`: the folder of
// the model, where it is there already. `load`: the keys that it is loaded or created by; null
// where they are not known.
void check_training(const Json& keys, const std::string& place, const std::string& model = "",
                    const Json& load = nullptr) {
  Outcome parsed;
  const ConfigHandle config(cs_config_parse(keys.dump().c_str(), parsed));
  parsed.check();
  if (!load.is_null()) set_load_keys(config.get(), load);
  Outcome outcome;
  cs_trainer_check(config.get(), nullptr, exists(model) ? model.c_str() : nullptr, outcome);
  try {
    outcome.check();
  } catch (Failure& failure) {
    failure.message = place + ": " + failure.message;
    throw;
  }
}

// A training checks the values of the tasks that it is to run, as well as one that trains nothing
// would.
void check_task(const std::string& task, const Json& config) {
  Json keys = {{"method", "simcse"}};
  for (const auto& [key, value] : config.items()) keys["evaluate." + task + "." + key] = value;
  check_training(keys, "evaluate " + task);
}

void check_run(const Run& run, Topics& topics) {
  const Json& start = run.plan["start"];
  if (start.contains("load")) check_keys(start["load"], topics.rows("model"), "model");
  if (start.contains("create")) {
    const Json& rows = topics.rows("recipe");
    check_keys(start["create"], rows, "create");
    for (const char* needed : {"tokenizer", "pooling"}) {
      if (!start["create"].contains(needed))
        throw usage_failure(std::string("create: key '") + needed + "' is missing");
    }
  }
  const std::string model =
      start.value("model", "");  // what is trained keeps its shape from step to step
  Json load = start.value("load", start.value("create", Json()));
  bool scores = false;  // a reranker's: what follows wants vectors
  for (const Json& step : run.plan["steps"]) {
    if (scores)
      throw usage_failure("step '" + step["name"].get<std::string>() +
                          "' follows one that trains a reranker: make that the last one");
    scores = step["config"].value("method", "") == "reranker";
    check_training(step["config"], "step '" + step["name"].get<std::string>() + "'", model, load);
    load = start.value("load", Json());  // what was created is loaded from the second step on
  }
  for (const Json& evaluation : run.plan["evaluate"]) {
    const std::string task = evaluation["task"];
    if (task == "training") continue;
    if (scores)
      throw usage_failure(
          "evaluate " + task +
          ": the task measures vectors, and the run trains a reranker: measure it with 'dev'");
    check_keys(evaluation["config"], topics.rows(task), "evaluate " + task);
    check_task(task, evaluation["config"]);
  }
}

}  // namespace

void check_plan(const ExperimentFile& file, const Plan& plan) {
  Topics topics;
  for (const Cell& cell : plan.cells) {
    for (const size_t run : cell.runs) {
      try {
        check_run(plan.runs[run], topics);
      } catch (Failure& failure) {
        failure.message = "'" + cell.name + "': " + failure.message;
        throw failure.at(file.path);
      }
    }
  }
}

std::vector<std::string> missing_files(const Plan& plan, const std::vector<size_t>& runs) {
  std::set<std::string> seen;
  std::vector<std::string> missing;
  const auto look = [&](const Json& object, const char* key, const std::string& place) {
    if (!object.contains(key) || !object[key].is_string()) return;
    const std::string path = object[key];
    if (path.empty() || exists(path) || !seen.insert(path).second) return;
    missing.push_back(place + " " + key + ": '" + path + "' is not there");
  };
  for (const size_t number : runs) {
    const Run& run = plan.runs[number];
    look(run.plan["start"], "model", run.folder);
    if (run.plan["start"].contains("create"))
      look(run.plan["start"]["create"], "tokenizer", run.folder + " create");
    for (const Json& step : run.plan["steps"]) {
      const std::string place = run.folder + " step '" + step["name"].get<std::string>() + "'";
      look(step, "train", place);
      for (const char* key :
           {"dev", "clear.synonyms", "stage2.dataset", "task2.dataset", "task3.dataset"})
        look(step["config"], key, place);
    }
    for (const Json& evaluation : run.plan["evaluate"]) {
      for (const char* key : {"data", "counts.pairs", "counts.corpus"}) {
        look(evaluation["config"], key,
             run.folder + " evaluate " + evaluation["task"].get<std::string>());
      }
    }
  }
  return missing;
}

}  // namespace contrastive::cli
