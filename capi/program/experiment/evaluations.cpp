// The columns of an experiment before there is a model: which of them the data that are there can
// give.
#include <algorithm>
#include <map>
#include <optional>

#include "capi/program/experiment/table.h"
#include "capi/program/failure.h"
#include "capi/program/handle.h"

namespace contrastive::cli {
namespace {

// What the library says that a task will report.
struct Outlook {
  Json report;
  std::optional<Failure> failure;
};

Outlook outlook_of(const std::string& task, const Json& keys) {
  Outlook outlook;
  try {
    Outcome parsed;
    const ConfigHandle config(cs_config_parse(keys.dump().c_str(), parsed));
    parsed.check();
    Outcome outcome;
    const String text(cs_evaluate_outline(task.c_str(), config.get(), outcome));
    outcome.check();
    outlook.report = Json::parse(text.get());
  } catch (const Failure& failure) {
    outlook.failure = failure;
  }
  return outlook;
}

std::string joined(const std::vector<std::string>& names) {
  std::string text;
  for (const std::string& name : names) text += (text.empty() ? "" : ", ") + name;
  return text;
}

// Calls `is` with each way to part `path` into a name and a path below it; true where one of them
// is right.
template <class Is>
bool any_parting(const std::string& path, const Is& is) {
  for (size_t dot = path.find('.'); dot != std::string::npos; dot = path.find('.', dot + 1)) {
    if (is(path.substr(0, dot), path.substr(dot + 1))) return true;
  }
  return false;
}

// Whether `path` is right but for the data set that it names: "sets.STS13.spearman.all" where
// another set has "spearman.all".
bool names_absent_set(const Json& report, const std::string& path) {
  for (const std::string group : {"sets", "subsets"}) {
    if (path.compare(0, group.size() + 1, group + ".") != 0) continue;
    const auto sets = report.find(group);
    return any_parting(path.substr(group.size() + 1), [&](const std::string&,
                                                          const std::string& below) {
      if (sets == report.end())
        return !find_figures(report, below)
                    .empty();  // there is one data set, and its report is the whole
      return std::any_of(sets->begin(), sets->end(),
                         [&](const Json& set) { return !find_figures(set, below).empty(); });
    });
  }
  return false;
}

std::string sets_of(const Json& report) {
  for (const char* group : {"sets", "subsets"}) {
    if (!report.contains(group)) continue;
    std::vector<std::string> names;
    for (const auto& [name, set] : report[group].items()) names.push_back(name);
    return joined(names);
  }
  return "one data set";
}

class Settler {
 public:
  Settler(const ExperimentFile& file, Plan& plan) : file_(file), plan_(plan) {}

  void settle(size_t number, const std::string& name, bool chosen) {
    Run& run = plan_.runs[number];
    run.open.assign(file_.evaluate.size(), {});
    run.promised.assign(file_.evaluate.size(), {});
    run.measured.assign(file_.evaluate.size(), true);
    for (size_t i = 0; i < file_.evaluate.size(); ++i) {
      try {
        if (file_.evaluate[i].task != "training") settle_one(run, i, chosen);
      } catch (Failure& failure) {
        failure.message =
            "'" + name + "': evaluate " + file_.evaluate[i].task + ": " + failure.message;
        throw failure.file.empty() ? failure.at(file_.path) : failure;
      }
      run.measured[i] = run.open[i].size() < file_.evaluate[i].figures.size();
    }
    const bool none =
        std::find(run.measured.begin(), run.measured.end(), true) == run.measured.end();
    if (none && chosen)
      throw Failure(kExitFiles, cs_status_name(CS_ERROR_NOT_FOUND),
                    "'" + name + "': " + warnings_.back())
          .at(file_.path);
  }
  std::vector<std::string> warnings() && { return std::move(warnings_); }

 private:
  const Outlook& outlook(const Json& evaluation) {
    const std::string key = evaluation.dump();
    const auto found = outlooks_.find(key);
    if (found != outlooks_.end()) return found->second;
    return outlooks_[key] = outlook_of(evaluation["task"].get<std::string>(), evaluation["config"]);
  }

  void settle_one(Run& run, size_t i, bool chosen) {
    EvaluationSpec spec = file_.evaluate[i];
    const Json& evaluation = run.plan["evaluate"][i];
    const Outlook& known = outlook(evaluation);
    if (known.failure) {
      if (chosen && known.failure->code != cs_status_name(CS_ERROR_NOT_FOUND))
        throw Failure(*known.failure);
      for (const auto& [column, path] : spec.figures) run.open[i].push_back(column);
      if (chosen)
        warn(run.open[i], (known.failure->file.empty() ? "" : known.failure->file + ": ") +
                              known.failure->message);
      return;
    }
    std::vector<std::pair<std::string, std::string>> there;
    for (const auto& figure : spec.figures) {
      if (find_figures(known.report, figure.second).empty() &&
          names_absent_set(known.report, figure.second)) {
        run.open[i].push_back(figure.first);
      } else {
        there.push_back(figure);
      }
    }
    spec.figures = std::move(there);
    figures_of(spec, known.report);
    for (const auto& [column, path] : spec.figures) {
      for (const auto& found : find_figures(known.report, path)) {
        if (!is_of_open_list(found.second)) run.promised[i].push_back(path);
      }
    }
    if (chosen && !run.open[i].empty()) {
      warn(run.open[i], "'" + evaluation["config"].value("data", "") +
                            "' has no such data set: it has " + sets_of(known.report));
    }
  }

  void warn(const std::vector<std::string>& columns, const std::string& reason) {
    const std::string text = std::string(columns.size() > 1 ? "columns " : "column ") +
                             joined(columns) + ": no figures, because " + reason;
    if (std::find(warnings_.begin(), warnings_.end(), text) == warnings_.end())
      warnings_.push_back(text);
  }

  const ExperimentFile& file_;
  Plan& plan_;
  std::map<std::string, Outlook> outlooks_;
  std::vector<std::string> warnings_;
};

}  // namespace

std::vector<std::string> settle_evaluations(const ExperimentFile& file, Plan& plan,
                                            const std::vector<size_t>& chosen) {
  Settler settler(file, plan);
  for (const Cell& cell : plan.cells) {
    for (const size_t run : cell.runs)
      settler.settle(run, cell.name, std::find(chosen.begin(), chosen.end(), run) != chosen.end());
  }
  return std::move(settler).warnings();
}

}  // namespace contrastive::cli
