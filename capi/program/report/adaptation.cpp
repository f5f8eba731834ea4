#include "capi/program/report/adaptation.h"

#include <contrastive/contrastive.h>

#include <limits>
#include <utility>
#include <vector>

#include "capi/program/report/charts.h"
#include "capi/program/report/document.h"
#include "capi/program/report/run_record.h"
#include "capi/program/report/sections.h"
#include "capi/program/report/text.h"

namespace contrastive::cli::report {
namespace {

std::string count_of(const Json& value) {
  return value.is_number() ? with_commas(value.get<int64_t>()) : "–";
}
std::string signed_gain(double value) { return (value > 0 ? "+" : "") + fixed(value, 4); }
std::string rank_of(const Json& value) {
  return value.is_null() ? "beyond 100" : with_commas(value.get<int64_t>());
}

void write_figures(Document& document, const Json& report) {
  document.section(report["shipped"].get<bool>() ? "The model is better, and was written"
                                                 : "No model was written",
                   report["reason"].get<std::string>() + ".");
  Table table{{{"metric", "name"},
               {"before", "number"},
               {"after", "number"},
               {"gain", "number"},
               {"interval", "number"},
               {"0 is outside", ""}},
              {}};
  for (const auto& [name, figure] : report["figures"].items()) {
    const auto value = [&, &row = figure](const char* key) { return row[key].get<double>(); };
    table.rows.push_back(
        {{name + (name == report["metric"].get<std::string>() ? " (decides)" : ""), "name"},
         {fixed(value("before"), 4), "number"},
         {fixed(value("after"), 4), "number"},
         {signed_gain(value("gain")), "number"},
         {signed_gain(value("low")) + " to " + signed_gain(value("high")), "number"},
         {figure["significant"].get<bool>() ? "yes" : "no", ""}});
  }
  const Json& data = report["data"];
  document.table(table,
                 "Measured with " + count_of(data["queries"]) + " held-out queries that search " +
                     count_of(data["documents"]) +
                     " documents. The interval is that of a paired bootstrap over the queries: "
                     "if it includes 0, the gain may be chance.");
}

void write_data(Document& document, const Json& report) {
  document.section("The data");
  const std::pair<const char*, const char*> lines[] = {
      {"pairs", "pairs that were read"},
      {"empty", "left out: a text is empty"},
      {"repeated", "left out: they repeat others"},
      {"groups", "groups of pairs that share a text"},
      {"train", "pairs to train on"},
      {"train_near_duplicates", "not trained on: nearly the same as held-out ones"},
      {"dev", "pairs to choose the best weights by"},
      {"dev_near_duplicates", "left out of these: nearly the same as those of the test"},
      {"test", "pairs of the test"},
      {"corpus", "documents of the corpus"},
      {"corpus_empty", "left out: empty"},
      {"corpus_repeated", "left out: they repeat others"},
      {"corpus_near_answers", "left out: nearly the same as an answer"},
      {"documents", "documents that are searched"}};
  Table table{{{"what", "name"}, {"count", "number"}}, {}};
  for (const auto& [key, what] : lines) {
    if (report["data"].contains(key))
      table.rows.push_back({{what, "name"}, {count_of(report["data"][key]), "number"}});
  }
  document.table(table);
  for (const Json& warning : report["warnings"])
    document.note(count_of(warning["count"]) + " " + warning["what"].get<std::string>() + ".");
}

void write_mining(Document& document, const Json& mining) {
  document.section("Hard negatives");
  if (mining.is_null()) return document.note("None were mined, as mine is false.");
  Table table{{{"candidates", "name"}, {"count", "number"}}, {}};
  table.rows.push_back({{"examined", "name"}, {count_of(mining["candidates"]), "number"}});
  for (const auto& [filter, count] : mining["removed"].items())
    table.rows.push_back({{"taken out by " + filter, "name"}, {count_of(count), "number"}});
  table.rows.push_back({{"taken as negatives", "name"}, {count_of(mining["negatives"]), "number"}});
  table.rows.push_back({{"queries without a negative", "name"},
                        {count_of(mining["queries_without_negatives"]), "number"}});
  document.table(table);
  Table sample{{{"query", "name"}, {"", ""}, {"text", "name"}, {"score", "number"}}, {}};
  for (const Json& query : mining["sample"]) {
    for (const auto& [kind, list] :
         {std::pair("answer", "positives"), std::pair("negative", "negatives")}) {
      for (const Json& text : query[list])
        sample.rows.push_back({{excerpt(query["anchor"], 60), "name"},
                               {kind, ""},
                               {excerpt(text["text"], 120), "name"},
                               {fixed(text["score"].get<double>(), 4), "number"}});
    }
  }
  document.details("Negatives of " + count_of(Json(mining["sample"].size())) + " queries", sample);
}

void draw_course(Document& document, const Json& course, const char* key, const std::string& title,
                 const std::string& axis, bool noisy) {
  Curve curve;
  for (const Json& point : course) {
    if (point[key].is_number())
      curve.series.add(point["step"].get<double>(), point[key].get<double>());
  }
  LineChart chart;
  chart.what = title;
  chart.y = axis;
  chart.noisy = noisy;
  chart.points = !noisy;
  chart.curves.push_back(std::move(curve));
  if (has_numbers(chart)) document.figure({title, "", description(chart), data_of(chart)});
}

void write_course(Document& document, const Json& report) {
  const Json& training = report["training"];
  document.section("The training",
                   count_of(training["steps"]) + " updates on " + count_of(training["rows"]) +
                       " pairs, " + count_of(training["with_negatives"]) +
                       " of them with negatives. The weights are those after update " +
                       count_of(training["best_step"]) + ", the best ones on the dev part.");
  draw_course(document, training["course"], "loss", "loss", "loss", true);
  draw_course(document, training["course"], "dev", "dev part", report["metric"].get<std::string>(),
              false);
}

void write_examples(Document& document, const Json& examples, const char* kind,
                    const std::string& title) {
  document.section(title, count_of(examples[std::string(kind) + "_queries"]) +
                              " queries of the test in all; the largest differences.");
  if (examples[kind].empty()) return document.note("No query to show.");
  Table table{{{"query", "name"},
               {"answer", "name"},
               {"rank before", "number"},
               {"rank after", "number"},
               {"found first before", "name"},
               {"found first now", "name"}},
              {}};
  for (const Json& example : examples[kind]) {
    table.rows.push_back({{excerpt(example["query"], 80), "name"},
                          {excerpt(example["answers"][0], 120), "name"},
                          {rank_of(example["rank_before"]), "number"},
                          {rank_of(example["rank_after"]), "number"},
                          {excerpt(example["first_before"], 120), "name"},
                          {excerpt(example["first_after"], 120), "name"}});
  }
  document.table(table);
}

void write_settings(Document& document, const Json& report) {
  document.section("Settings");
  for (const auto& [title, settings] :
       {std::pair("The adaptation", &report["settings"]),
        std::pair("The training run", &report["training"]["config"])}) {
    Table table{{{"key", "name"}, {"value", "name"}}, {}};
    for (const auto& [key, value] : settings->items())
      table.rows.push_back({{key, "name"}, {plain_value(value), "name"}});
    document.details(title, table);
  }
}

}  // namespace

std::string adaptation_page(const Json& report) {
  Document document("Adaptation: " + report["output"].get<std::string>(),
                    std::string("Report by libcontrastive ") + cs_version() + ", " + utc(0));
  write_figures(document, report);
  write_data(document, report);
  write_mining(document, report["mining"]);
  write_course(document, report);
  write_examples(document, report["examples"], "better", "Queries that got better");
  write_examples(document, report["examples"], "worse", "Queries that got worse");
  write_settings(document, report);
  document.footer("Made by: contrastive adapt");
  return document.html();
}

}  // namespace contrastive::cli::report
