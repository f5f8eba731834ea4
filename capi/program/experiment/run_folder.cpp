#include "capi/program/experiment/run_folder.h"

#include <algorithm>

#include "capi/program/experiment/table.h"
#include "capi/program/failure.h"
#include "capi/program/files.h"
#include "capi/program/json_of.h"

namespace contrastive::cli {
namespace {

Json read_json(const std::string& path) {
  const std::string text = read_text_file(path, size_t{1} << 30);
  const Json value = json_of(text);
  if (value.is_object()) return value;
  throw Failure(kExitData, "FORMAT",
                "this is not what was written here; remove the folder of the run")
      .at(path);
}

// The place of the first difference, "steps.0.config.lr: 0.1 there, 0.2 now"; "" where there is
// none.
std::string difference(const Json& there, const Json& now, const std::string& place) {
  if (there == now) return "";
  const auto quoted = [](const Json& value) {
    return value.is_null() ? std::string("nothing") : value.dump();
  };
  if (!there.is_structured() || there.type() != now.type())
    return place + " was " + quoted(there) + " and is " + quoted(now);
  const auto at = [](const Json& value, const std::string& key, size_t index) {
    if (value.is_array()) return index < value.size() ? value[index] : Json();
    return value.contains(key) ? value[key] : Json();
  };
  size_t index = 0;
  for (const auto& [key, value] : there.items()) {
    const std::string found =
        difference(value, at(now, key, index++), place + (place.empty() ? "" : ".") + key);
    if (!found.empty()) return found;
  }
  index = 0;
  for (const auto& [key, value] : now.items()) {
    const std::string found =
        difference(at(there, key, index++), value, place + (place.empty() ? "" : ".") + key);
    if (!found.empty()) return found;
  }
  return place + " differs";
}

bool lacks_any(const Json& report, const std::vector<std::string>& paths) {
  return std::any_of(paths.begin(), paths.end(),
                     [&](const std::string& path) { return find_figures(report, path).empty(); });
}

Json training_of(const Json& plan) { return {{"start", plan["start"]}, {"steps", plan["steps"]}}; }

}  // namespace

Json Result::to_json() const {
  Json json = {{"status", status}};
  if (!code.empty()) json["code"] = code;
  if (!message.empty()) json["message"] = message;
  json["metrics"] = metrics;
  json["reports"] = reports;
  return json;
}

const Json* Result::report(const Json& evaluation) const {
  for (const Json& made : reports) {
    if (made["task"] == evaluation["task"] && made["config"] == evaluation["config"])
      return &made["report"];
  }
  return nullptr;
}

void Result::forget(const Json& evaluation) {
  for (auto made = reports.begin(); made != reports.end();) {
    made = (*made)["task"] == evaluation["task"] && (*made)["config"] == evaluation["config"]
               ? reports.erase(made)
               : made + 1;
  }
}

bool RunFolder::step_is_over(const Json& step) const {
  return exists(step_path(step) + kStepMetrics);
}

Json RunFolder::metrics_of(const Json& step) const {
  return read_json(step_path(step) + kStepMetrics);
}

bool RunFolder::agrees(std::string& found) const {
  const std::string file = path_ + "/run.json";
  if (!exists(file)) return true;
  const Json there = read_json(file);
  if (!there.contains("start") || !there.contains("steps"))
    throw Failure(kExitData, "FORMAT", "this is no run of an experiment").at(file);
  found = difference(training_of(there), training_of(run_.plan), "");
  return found.empty();
}

void RunFolder::open() const {
  std::string found;
  if (!agrees(found)) {
    throw usage_failure("this run was made with other settings: " + found,
                        "give another --output, or remove the folder of the run")
        .at(path_ + "/run.json");
  }
  make_folders(path_);
  write_text_file(path_ + "/run.json", run_.plan.dump(2) + "\n");
}

Result RunFolder::result() const {
  Result result;
  const std::string file = path_ + "/result.json";
  if (!exists(file)) {
    if (exists(path_ + "/run.json")) result.status = "begun";
    return result;
  }
  const Json json = read_json(file);
  result.status = json.value("status", "");
  result.code = json.value("code", "");
  result.message = json.value("message", "");
  result.reports = json.value("reports", Json::array());
  result.metrics = json.value("metrics", Json());
  // The evaluations may be others by now, and so may the data.
  const Json& evaluations = run_.plan["evaluate"];
  for (size_t i = 0; i < evaluations.size(); ++i) {
    const Json* report = result.report(evaluations[i]);
    if (report != nullptr && i < run_.promised.size() && lacks_any(*report, run_.promised[i])) {
      result.forget(evaluations[i]);
      report = nullptr;
    }
    const bool left_out = i < run_.measured.size() && !run_.measured[i];
    if (result.status == "finished" && report == nullptr && evaluations[i]["task"] != "training" &&
        !left_out)
      result.status = "begun";
  }
  return result;
}

void RunFolder::write(const Result& result) const {
  write_text_file(path_ + "/result.json", result.to_json().dump(2) + "\n");
}

void RunFolder::forget_failure() const {
  for (const Json& step : run_.plan["steps"]) {
    if (!step_is_over(step)) remove_folder(step_path(step));
  }
  Result begun = result();
  begun.status = "begun";
  begun.code = begun.message = "";
  write(begun);
}

void RunFolder::remove_models() const {
  for (const Json& step : run_.plan["steps"]) remove_folder(model_path(step));
}

}  // namespace contrastive::cli
