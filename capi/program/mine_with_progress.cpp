#include "capi/program/mine_with_progress.h"

#include "capi/program/failure.h"
#include "capi/program/log_progress.h"
#include "capi/program/signals.h"

namespace contrastive::cli {
namespace {

std::string cell(const Json& value) {
  std::string text = value.is_null()             ? ""
                     : value.is_number_integer() ? with_commas(value.get<int64_t>())
                                                 : fixed(value.get<double>(), 4);
  if (text.size() < 12) text.insert(0, 12 - text.size(), ' ');
  return text;
}

void print_scores(const Json& scores) {
  print_line("            positive    negative  difference");
  for (const char* name : {"count", "mean", "median", "std", "min", "q25", "q50", "q75", "max"}) {
    std::string title = name;
    title.resize(8, ' ');
    print_line(title + cell(scores["positive"][name]) + cell(scores["negative"][name]) +
               cell(scores["difference"][name]));
  }
}

void print_sample(const Json& sample) {
  for (const Json& query : sample) {
    print_line("\n" + query["anchor"].get<std::string>());
    for (const Json& text : query["positives"])
      print_line("  + " + fixed(text["score"].get<double>(), 4) + "  " +
                 text["text"].get<std::string>());
    for (const Json& text : query["negatives"])
      print_line("  - " + fixed(text["score"].get<double>(), 4) + "  " +
                 text["text"].get<std::string>());
  }
}

}  // namespace

Dataset open_data(const std::string& path, const cs_config* config) {
  Outcome outcome;
  Dataset data(cs_dataset_open(path.c_str(), config, outcome));
  outcome.check();
  return data;
}

void CorpusArguments::add_to(CLI::App* verb, const std::string& help) {
  add_option(verb, "--corpus", path, "txt, tsv or jsonl of texts " + help + "; default: none");
  add_option(verb, "--corpus-format", format,
             "txt, tsv or jsonl; default: by the corpus' name, else by its first line")
      ->check(CLI::IsMember({"txt", "tsv", "jsonl"}));
  add_option(verb, "--corpus-column", column, "column or member of the corpus' text");
}

Dataset CorpusArguments::dataset() const {
  if (path.empty()) return nullptr;
  Outcome outcome;
  Json keys = Json::object();
  if (!column.empty()) keys["data.columns"] = Json::array({column});
  if (!format.empty()) keys["data.format"] = format == "txt" ? "text" : format;
  const ConfigHandle config(cs_config_parse(keys.dump().c_str(), outcome));
  outcome.check();
  return open_data(path, config.get());
}

Json mine_file(const MiningInputs& inputs, const std::string& output, const Common& common) {
  const LogProgress log({"mining"}, common);
  Outcome outcome;
  const String text(cs_mine(inputs.model, inputs.guide, inputs.pairs, inputs.corpus, output.c_str(),
                            inputs.keys, cancel_flag(), outcome));
  outcome.check();
  return Json::parse(text.get());
}

void print_mining(const Json& report, const std::string& output) {
  const auto number = [&](const char* name) { return report[name].get<int64_t>(); };
  print_line("wrote " + counted(number("rows"), "row") + " to " + output + ": negatives for " +
             with_commas(number("queries") - number("queries_without_negatives")) + " of " +
             counted(number("queries"), "anchor") + ", out of " +
             counted(number("documents"), "text"));
  print_scores(report["scores"]);
  std::string removed;
  for (const auto& [name, count] : report["removed"].items()) {
    if (count.get<int64_t>() > 0)
      removed += (removed.empty() ? "" : ", ") + with_commas(count.get<int64_t>()) + " by " + name;
  }
  print_line("of " + counted(number("candidates"), "candidate") + " the filters left out " +
             (removed.empty() ? "none" : removed));
  if (number("missing_rows") > 0)
    print_line(counted(number("missing_rows"), "row") + " are missing, as " +
               counted(number("queries_with_fewer"), "anchor") +
               " have fewer negatives than requested: raise --range-max, or loosen the margins and "
               "bounds");
  print_sample(report["sample"]);
}

}  // namespace contrastive::cli
