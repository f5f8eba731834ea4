// contrastive eval: a model's figures on a task.
#include <algorithm>
#include <charconv>
#include <cmath>

#include "capi/cli/failure.h"
#include "capi/cli/signals.h"
#include "capi/cli/terminal.h"
#include "capi/cli/verb.h"

namespace contrastive::cli {
namespace {

struct EvalArguments {
  ModelArguments model;
  std::string task, data;
  std::vector<std::string> minima;
};

// What stands under `path`, such as "spearman.all"; NULL where there is nothing. Names may hold dots themselves ("subsets.track5.en-en.spearman").
const Json* find_path(const Json& report, const std::string& path) {
  if (!report.is_object()) return nullptr;
  for (const auto& [name, value] : report.items()) {
    if (path == name) return &value;
    const bool below = path.size() > name.size() && path[name.size()] == '.' && path.compare(0, name.size(), name) == 0;
    const Json* const found = below ? find_path(value, path.substr(name.size() + 1)) : nullptr;
    if (found != nullptr) return found;
  }
  return nullptr;
}

// NaN where the figure is not defined, which is below every minimum; one that the report does not have is a usage error.
double figure(const Json& report, const std::string& path) {
  const Json* const found = find_path(report, path);
  if (found == nullptr) throw usage_failure("--min '" + path + "': the report has no such figure", report.dump());
  if (found->is_null()) return std::nan("");
  if (!found->is_number()) throw usage_failure("--min '" + path + "': this is no number in the report", report.dump());
  return found->get<double>();
}

void check_minimum(const Json& report, const std::string& demand) {
  const size_t equals = demand.find('=');
  double least = 0;
  const char* end = demand.data() + demand.size();
  const bool whole = equals != std::string::npos && std::from_chars(demand.data() + equals + 1, end, least).ptr == end && equals + 1 < demand.size();
  if (!whole) throw usage_failure("--min '" + demand + "': FIGURE=NUMBER is needed, such as spearman.all=0.8");
  const std::string name = demand.substr(0, equals);
  const double found = figure(report, name);
  const std::string is = std::isnan(found) ? "not defined" : fixed(found, 6);
  if (!(found >= least)) throw Failure(kExitCheck, "CHECK", name + " is " + is + ", below " + demand.substr(equals + 1));
}

constexpr size_t kNameWidth = 28;

std::string number_text(const Json& value) { return value.is_number_float() ? fixed(value.get<double>(), 4) : value.dump(); }

// A figure for each layer, seed or count.
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
      print_line(indent + key + ": " + counted(static_cast<int64_t>(value.size()), "row") + ", which --json prints");
    } else {
      const std::string name = indent + key, gap(name.size() < kNameWidth ? kNameWidth - name.size() : 1, ' ');
      print_line(name + gap + number_text(value));
    }
  }
}

void run(const EvalArguments& arguments, const Common& common) {
  Settings settings = arguments.model.settings();
  settings.use_topic("model");
  settings.use_topic(arguments.task);
  if (!arguments.data.empty()) settings.set_flag("data", arguments.data);
  const ConfigHandle config = settings.config(arguments.task, true);
  const Model model = load_model(arguments.model, settings, false);
  Outcome outcome;
  const String text(cs_evaluate(model.get(), arguments.task.c_str(), config.get(), cancel_flag(), outcome));
  outcome.check();
  const Json report = Json::parse(text.get());
  if (common.json) {
    print_json(report);
  } else {
    print_figures(report, "");
  }
  flush_stdout();
  for (const std::string& demand : arguments.minima) check_minimum(report, demand);
}

}  // namespace

void add_eval(CLI::App& program, Common& common) {
  static EvalArguments arguments;
  CLI::App* verb = add_verb(program, "eval", "Measure a model on a task", R"(  contrastive eval --model DIR --task sts --data sts-test.tsv --json
  contrastive eval --model DIR --task sts --data SentEval/data/downstream     (STS12-16, STS-B and SICK with their average)
  contrastive eval --model DIR --task sts-layers --data STSBenchmark --set split=test
  contrastive eval --model DIR --task retrieval --data pairs.tsv --set 'k=["1","10"]' --min mrr@10=0.8
  contrastive eval --model DIR --task glue --data glue --set 'tasks=["CoLA","RTE"]')",
                            common, [&common] { run(arguments, common); });
  add_model_options(verb, arguments.model);
  add_option(verb, "--task", arguments.task,
             "sts (score, sentence, sentence), sts-layers, sts-tokens, retrieval (query, document), pairs and paraphrases (label, text, text), "
             "triplets (anchor, positive, negative), geometry and tsne (as sts), transfer (SentEval), sts-supervised, or glue (fine-tuning)")
      ->required();
  add_option(verb, "--data", arguments.data,
             "TSV file; for sts also a published data set's file or folder, or a folder of such folders; for retrieval a BEIR folder too; for glue and "
             "transfer a folder with a folder for each task; for sts-supervised a data set with train, dev and test as sts knows it");
  verb->add_option("--min", arguments.minima, "FIGURE=NUMBER: exit with 8 if the figure is lower")->expected(1)->take_all();
}

}  // namespace contrastive::cli
