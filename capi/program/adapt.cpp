// contrastive adapt: adapts a model to pairs and a corpus, and writes it only if it is better.
#include <optional>

#include "capi/program/failure.h"
#include "capi/program/files.h"
#include "capi/program/log_progress.h"
#include "capi/program/mine_with_progress.h"
#include "capi/program/report/adaptation.h"
#include "capi/program/signals.h"
#include "capi/program/terminal.h"
#include "capi/program/verb.h"

namespace contrastive::cli {
namespace {

struct AdaptArguments {
  ModelArguments model;
  CorpusArguments corpus;
  std::string pairs, dev, output, report, method, metric;
  std::optional<int64_t> seed;
  std::optional<std::string> min_gain;
  bool require_significant = false, force = false;
};

Settings adapt_settings(const AdaptArguments& arguments, const std::string& report) {
  Settings settings = arguments.model.settings();
  for (const char* topic : {"model", "data", "adapt"}) settings.use_topic(topic);
  const std::pair<const char*, const std::string&> texts[] = {{"dev", arguments.dev},
                                                              {"method", arguments.method},
                                                              {"metric", arguments.metric}};
  for (const auto& [key, value] : texts) {
    if (!value.empty()) settings.set_flag(key, value);
  }
  settings.set_flag("report", report);
  if (arguments.seed) settings.set_flag("seed", *arguments.seed);
  if (arguments.min_gain) settings.set_flag("min_gain", *arguments.min_gain);
  if (arguments.require_significant) settings.set_flag("require_significant", "true");
  return settings;
}

std::string without_slashes(std::string path) {
  while (path.size() > 1 && path.back() == '/') path.pop_back();
  return path;
}

void check_adapt_output(const AdaptArguments& arguments) {
  if (arguments.output.empty()) throw usage_failure("--output is empty: a folder is needed");
  if (is_same_file(arguments.output, arguments.model.model))
    throw usage_failure("--output is the model to start from: name another folder");
  if (exists(arguments.output) && !arguments.force)
    throw usage_failure("'" + arguments.output + "' exists", "use --force to replace it");
  check_model_place(arguments.output);  // now, so that saving does not fail after the work
}

void print_adaptation(const Json& report, const std::string& page) {
  const Json& data = report["data"];
  const auto number = [&](const char* key) { return with_commas(data[key].get<int64_t>()); };
  print_line(number("train") + " pairs to train on, " + number("dev") + " to choose by, " +
             number("test") + " held out; " + number("queries") + " queries search " +
             number("documents") + " documents");
  print_line("            before   after    gain     interval");
  for (const auto& [name, figure] : report["figures"].items()) {
    std::string title = name;
    title.resize(12, ' ');
    const auto value = [&, &row = figure](const char* key) { return row[key].get<double>(); };
    const auto sign = [](double x) { return (x < 0 ? "" : "+") + fixed(x, 4); };
    print_line(title + fixed(value("before"), 4) + "   " + fixed(value("after"), 4) + "   " +
               sign(value("gain")) + "  " + sign(value("low")) + " to " + sign(value("high")));
  }
  if (report["shipped"].get<bool>())
    print_line("wrote " + report["output"].get<std::string>() + ": " +
               report["reason"].get<std::string>());
  print_line("report: " + page);
}

// cs_adapt checks this too, but only after it has read the pairs and loaded the model.
void refuse_rerankers(const cs_config* keys) {
  if (text_of(json_of(keys), "method") == "reranker")
    throw usage_failure("adapt trains sentence encoders, and method reranker trains a reranker",
                        "use contrastive train --method reranker");
}

Json adapt_model(const AdaptArguments& arguments, const Settings& settings, const Common& common) {
  const ConfigHandle keys = settings.config("adapt", true);
  refuse_rerankers(keys.get());
  const Dataset pairs = open_data(arguments.pairs, settings.config("data", false).get());
  const Dataset corpus = arguments.corpus.dataset();
  const Model model = load_model(arguments.model, settings, false);
  const LogProgress log({"mining", "adapt"}, common);
  Outcome outcome;
  const String text(cs_adapt(model.get(), pairs.get(), corpus.get(), arguments.output.c_str(),
                             keys.get(), cancel_flag(), outcome));
  outcome.check();
  return Json::parse(text.get());
}

void adapt(const AdaptArguments& arguments, const Common& common) {
  check_adapt_output(arguments);
  const std::string folder =
      arguments.report.empty() ? without_slashes(arguments.output) + ".report" : arguments.report;
  const Json report = adapt_model(arguments, adapt_settings(arguments, folder), common);
  const std::string page = folder + "/adapt.html";
  write_text_file(page, report::adaptation_page(report));
  if (common.json) print_json(report);
  else if (!common.quiet) print_adaptation(report, page);
  if (!report["shipped"].get<bool>()) {
    flush_stdout();
    throw Failure(kExitNotBetter, "NOT_BETTER",
                  "no model was written: " + report["reason"].get<std::string>(),
                  page + " has the details");
  }
}

}  // namespace

void add_adapt(CLI::App& program, Common& common) {
  static AdaptArguments arguments;
  CLI::App* verb = add_verb(
      program, "adapt",
      "Adapt a model to your own pairs of queries and documents, or report why it is not better",
      R"(  contrastive adapt --model DIR --pairs clicks.tsv --corpus documents.txt --output adapted
  contrastive adapt --model DIR --pairs clicks.tsv --output adapted --min-gain 0.01 --require-significant
  contrastive adapt --model DIR --pairs clicks.tsv --output adapted --set mnrl.lora_rank=16 --set epochs=5
Splits the pairs, tests the model, mines hard negatives, trains, tests again, and writes the model
only if it is better. If it is killed, the same command continues. --set takes every key of
`contrastive config adapt`, including those of a training run.)",
      common, [&common] { adapt(arguments, common); });
  add_model_options(verb, arguments.model);
  add_option(verb, "--pairs", arguments.pairs,
             "tsv or jsonl of pairs: a query and the document that answers it")
      ->required();
  arguments.corpus.add_to(verb, "to search in addition to the documents of the pairs");
  add_option(verb, "--dev", arguments.dev,
             "pairs by which the best weights are chosen; default: a part of --pairs");
  add_option(verb, "-o,--output", arguments.output, "folder for the model")->required();
  add_option(verb, "--report", arguments.report,
             "folder for adapt.json and adapt.html; default: OUTPUT.report");
  add_option(verb, "--method", arguments.method, "training method; default mnrl");
  add_option(verb, "--metric", arguments.metric,
             "metric that decides: ndcg@10, mrr@10, recall@1 or recall@10; default ndcg@10")
      ->check(CLI::IsMember({"ndcg@10", "mrr@10", "recall@1", "recall@10"}));
  add_option(verb, "--min-gain", arguments.min_gain,
             "write the model if the metric rises by at least this; default 0: it must rise");
  verb->add_flag("--require-significant", arguments.require_significant,
                 "write the model only if the interval of the gain is above 0 too");
  add_option(verb, "--seed", arguments.seed, "number that decides every random choice; default 1");
  verb->add_flag("-f,--force", arguments.force, "replace an existing output");
}

}  // namespace contrastive::cli
