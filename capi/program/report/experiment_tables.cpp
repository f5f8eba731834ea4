// One section for each given folder of an experiment: its table.
#include <algorithm>

#include "capi/program/files.h"
#include "capi/program/json_of.h"
#include "capi/program/report/sections.h"
#include "capi/program/terminal.h"

namespace contrastive::cli::report {
namespace {

constexpr size_t kMostTableBytes = size_t{1} << 30;

bool is_table(const Json& table) {
  return table.is_object() && table.value("columns", Json()).is_array() &&
         table.value("cells", Json()).is_array() && table.value("name", Json()).is_string();
}

double number(const Json& figure, const char* key) {
  return figure.contains(key) && figure[key].is_number() ? figure[key].get<double>() : 0;
}

Cell figure_cell(const Json& line, const std::string& column, int digits) {
  const Json figure = line.value("figures", Json::object()).value(column, Json::object());
  const int64_t n = figure.value("n", int64_t{0}), finished = line.value("finished", int64_t{0});
  if (n == 0)
    return {finished == 0 && line.value("failed", int64_t{0}) > 0 ? "failed" : "–", "number"};
  std::string text = fixed(number(figure, "mean"), digits);
  if (n > 1) text += " ± " + fixed(number(figure, "std"), digits);
  if (n < finished) text += " (" + std::to_string(n) + ")";
  return {text, figure.value("best", false) ? "number best" : "number"};
}

std::string runs_text(const Json& line) {
  const int64_t runs = line.value("runs", int64_t{0}),
                finished = line.value("finished", int64_t{0});
  return std::to_string(finished) + (finished < runs ? " of " + std::to_string(runs) : "");
}

Table table_of(const Json& table) {
  const Json& cells = table["cells"];
  const bool rows = std::any_of(cells.begin(), cells.end(),
                                [](const Json& line) { return !line.value("row", "").empty(); });
  std::vector<std::string> keys;
  for (const Json& line : cells) {
    const Json grid = line.value("grid", Json::object());
    for (const auto& entry : grid.items()) {
      if (std::find(keys.begin(), keys.end(), entry.key()) == keys.end())
        keys.push_back(entry.key());
    }
  }
  Table shown;
  if (rows) shown.head.push_back({"row", "name"});
  for (const std::string& key : keys) shown.head.push_back({key, ""});
  shown.head.push_back({"runs", "number"});
  for (const Json& column : table["columns"]) shown.head.push_back({plain_value(column), "number"});
  for (const Json& line : cells) {
    const Json grid = line.value("grid", Json::object());
    std::vector<Cell> row;
    if (rows) row.push_back({line.value("row", ""), "name"});
    for (const std::string& key : keys) row.push_back({grid.value(key, "–"), ""});
    row.push_back({runs_text(line), "number"});
    for (const Json& column : table["columns"])
      row.push_back(figure_cell(line, plain_value(column), table.value("digits", 4)));
    shown.rows.push_back(std::move(row));
  }
  return shown;
}

}  // namespace

std::vector<Json> read_experiment_tables(const std::vector<std::string>& paths) {
  std::vector<Json> tables;
  for (const std::string& path : paths) {
    const std::string file = path + "/table.json";
    if (!exists(file)) continue;
    Json table = json_of(read_text_file(file, kMostTableBytes));
    if (is_table(table)) tables.push_back(std::move(table));
  }
  return tables;
}

void write_experiments(Document& document, const Contents& contents) {
  for (const Json& table : contents.tables) {
    document.section("Experiment: " + table["name"].get<std::string>());
    document.table(
        table_of(table),
        "Mean over the runs of a line, one run for each seed. The number after ± is the sample "
        "standard deviation (n − 1), if there are two or more runs. The best mean of a column is "
        "bold.");
    for (const Json& line : table["cells"]) {
      for (const Json& failure : line.value("failures", Json::array()))
        document.note("Failed: " + line.value("row", "") + " " + plain_value(failure));
    }
  }
}

}  // namespace contrastive::cli::report
