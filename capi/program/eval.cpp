// contrastive eval: measures a model on a task.
#include <algorithm>
#include <charconv>
#include <cmath>

#include "capi/program/failure.h"
#include "capi/program/signals.h"
#include "capi/program/terminal.h"
#include "capi/program/verb.h"
#include "core/base/nearest.h"

namespace contrastive::cli {
namespace {

struct EvalArguments {
  ModelArguments model;
  std::string task, data;
  std::vector<std::string> minima;
  bool dry_run = false;
};

// A requirement of --min.
struct Minimum {
  std::string figure;
  double least = 0;
  std::string least_text;
};

Minimum minimum_of(const std::string& demand) {
  Minimum minimum;
  const size_t equals = std::min(demand.find('='), demand.size());
  minimum.figure = demand.substr(0, equals);
  minimum.least_text = demand.substr(std::min(equals + 1, demand.size()));
  const char* const end = minimum.least_text.data() + minimum.least_text.size();
  const auto [parsed, problem] = std::from_chars(minimum.least_text.data(), end, minimum.least);
  if (minimum.figure.empty() || parsed != end || problem != std::errc() ||
      std::isnan(minimum.least)) {
    throw usage_failure("--min '" + demand +
                        "': FIGURE=NUMBER is needed, such as spearman.all=0.8");
  }
  return minimum;
}

// The value under `path`, such as "spearman.all", or null. Names may contain dots
// ("subsets.track5.en-en.spearman").
const Json* find_path(const Json& report, const std::string& path) {
  if (!report.is_object()) return nullptr;
  for (const auto& [name, value] : report.items()) {
    if (path == name) return &value;
    const bool below = path.size() > name.size() && path[name.size()] == '.' &&
                       path.compare(0, name.size(), name) == 0;
    const Json* const found = below ? find_path(value, path.substr(name.size() + 1)) : nullptr;
    if (found != nullptr) return found;
  }
  return nullptr;
}

// Collects the paths of all figures, including undefined ones, as find_path takes them.
void collect_figures(const Json& report, const std::string& above,
                     std::vector<std::string>& paths) {
  for (const auto& [name, value] : report.items()) {
    if (value.is_object()) collect_figures(value, above + name + ".", paths);
    if (value.is_number() || value.is_null()) paths.push_back(above + name);
  }
}

// The names of the figures for an error message. A report of many data sets has hundreds of them,
// so only the first ones are listed.
std::string known_figures(const Json& report, const std::string& wrong) {
  constexpr size_t kMost = 30;
  std::vector<std::string> paths;
  collect_figures(report, "", paths);
  const std::string near = nearest_name(wrong, paths);
  std::string text = near.empty() ? "" : "did you mean '" + near + "'? ";
  text += "the report has ";
  for (size_t i = 0; i < std::min(paths.size(), kMost); ++i) text += (i > 0 ? ", " : "") + paths[i];
  return paths.size() > kMost ? text + " and " + std::to_string(paths.size() - kMost) + " more"
                              : text;
}

// The figure under `path`. NaN, which fails every minimum, if it is undefined. A usage error if the
// report has no such figure.
double figure(const Json& report, const std::string& path) {
  const Json* const found = find_path(report, path);
  if (found == nullptr)
    throw usage_failure("--min '" + path + "': the report has no such figure",
                        known_figures(report, path));
  if (found->is_null()) return std::nan("");
  if (!found->is_number())
    throw usage_failure("--min '" + path + "': the report has no number of this name",
                        known_figures(report, path));
  return found->get<double>();
}

void check_minimum(const Json& report, const Minimum& minimum) {
  const double found = figure(report, minimum.figure);
  const std::string is = std::isnan(found) ? "not defined" : fixed(found, 6);
  if (!(found >= minimum.least))
    throw Failure(kExitCheck, "CHECK",
                  minimum.figure + " is " + is + ", below " + minimum.least_text);
}

constexpr size_t kNameWidth = 28;

std::string number_text(const Json& value) {
  return value.is_number_float() ? fixed(value.get<double>(), 4) : value.dump();
}

// Whether a value is a list of figures, one for each layer, seed or count.
bool is_row(const Json& value) {
  const auto shown = [](const Json& item) { return item.is_number() || item.is_null(); };
  return value.is_array() && !value.empty() && std::all_of(value.begin(), value.end(), shown);
}

void print_figures(const Json& report, const std::string& indent) {
  for (const auto& [key, value] : report.items()) {
    if (value.is_object()) {
      print_line(indent + key);
      print_figures(value, indent + "  ");
    } else if (is_row(value)) {
      std::string row = indent + key;
      if (row.size() < kNameWidth) row.resize(kNameWidth - 1, ' ');
      for (const Json& number : value) row += " " + number_text(number);
      print_line(row);
    } else if (value.is_array()) {
      print_line(indent + key + ": " + counted(static_cast<int64_t>(value.size()), "row") +
                 ", which --json prints");
    } else {
      const std::string name = indent + key,
                        gap(name.size() < kNameWidth ? kNameWidth - name.size() : 1, ' ');
      print_line(name + gap + number_text(value));
    }
  }
}

// Throws the library's error for an unknown task, which lists all tasks.
void refuse_unknown_task(const std::string& task) {
  Outcome parsed, outlined;
  const ConfigHandle none(cs_config_parse("{}", parsed));
  parsed.check();
  const String outline(cs_evaluate_outline(task.c_str(), none.get(), outlined));
  outlined.check();
}

// Checks the task here, because for an unknown name the library would list all topics, including
// methods, and not only tasks.
void use_task(Settings& settings, const std::string& task) {
  try {
    settings.use_topic(task);
  } catch (const Failure&) {
    refuse_unknown_task(task);
    throw;
  }
}

// The names of all tasks; "" if the library does not list them.
std::string task_names() {
  try {
    refuse_unknown_task("");
  } catch (const Failure& failure) {
    const std::string mark = "known: ";
    const size_t found = failure.message.find(mark);
    if (found != std::string::npos) return failure.message.substr(found + mark.size());
  }
  return "";
}

void print_report(const Json& report, const Common& common) {
  if (common.json) {
    print_json(report);
  } else {
    print_figures(report, "");
  }
  flush_stdout();
}

// --dry-run: the report without figures, from the data only. The model is not opened.
Json outline(const EvalArguments& arguments, const Settings& settings) {
  const ConfigHandle config = settings.config(arguments.task, true);
  Outcome outcome;
  const String text(cs_evaluate_outline(arguments.task.c_str(), config.get(), outcome));
  outcome.check();
  return Json::parse(text.get());
}

void run(const EvalArguments& arguments, const Common& common) {
  // A task may take days, so an invalid --min is reported before it starts.
  std::vector<Minimum> minima;
  for (const std::string& demand : arguments.minima) minima.push_back(minimum_of(demand));
  Settings settings = arguments.model.settings();
  settings.use_topic("model");
  use_task(settings, arguments.task);
  if (!arguments.data.empty()) settings.set_flag("data", arguments.data);
  if (arguments.dry_run) return print_report(outline(arguments, settings), common);
  const ConfigHandle config = settings.config(arguments.task, true);
  const Model model = load_model(arguments.model, settings, false);
  Outcome outcome;
  const String text(
      cs_evaluate(model.get(), arguments.task.c_str(), config.get(), cancel_flag(), outcome));
  outcome.check();
  const Json report = Json::parse(text.get());
  print_report(report, common);
  for (const Minimum& minimum : minima) check_minimum(report, minimum);
}

}  // namespace

void add_eval(CLI::App& program, Common& common) {
  static EvalArguments arguments;
  CLI::App* verb = add_verb(program, "eval", "Measure a model on a task",
                            R"(  contrastive eval --model DIR --task sts --data sts-test.tsv --json
  contrastive eval --model DIR --task sts --data SentEval/data/downstream     (STS12-16, STS-B and SICK with their average)
  contrastive eval --model DIR --task sts-layers --data STSBenchmark --set split=test
  contrastive eval --model DIR --task retrieval --data pairs.tsv --set 'k=["1","10"]' --min mrr@10=0.8
  contrastive eval --model RERANKER --task reranking --data mined.jsonl
  contrastive eval --model DIR --task glue --data glue --set 'tasks=["CoLA","RTE"]')",
                            common, [&common] { run(arguments, common); });
  arguments.model.any_kind = true;
  add_model_options(verb, arguments.model);
  add_option(verb, "--task", arguments.task,
             "one of " + task_names() + "; `contrastive config TASK` lists its config keys")
      ->required();
  add_option(verb, "--data", arguments.data,
             "file or folder that the task reads: the key 'data', which `contrastive config TASK` "
             "describes");
  one_at_a_time(verb->add_option("--min", arguments.minima,
                                 "FIGURE=NUMBER: exit with 8 if the figure is lower"));
  verb->add_flag("-n,--dry-run", arguments.dry_run,
                 "read the data, not the model: print the report with null for every figure that "
                 "needs the model");
}

}  // namespace contrastive::cli
