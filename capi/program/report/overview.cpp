// The sections "Runs" and "Scores".
#include <algorithm>
#include <cmath>

#include "capi/program/report/sections.h"
#include "capi/program/report/text.h"
#include "capi/program/terminal.h"

namespace contrastive::cli::report {
namespace {

constexpr double kUnmeasured = std::numeric_limits<double>::quiet_NaN();

double number_at(const Json& report, const std::vector<const char*>& path) {
  const Json* at = &report;
  for (const char* key : path) {
    if (!at->is_object() || at->find(key) == at->end()) return kUnmeasured;
    at = &(*at)[key];
  }
  return at->is_number() ? at->get<double>() : kUnmeasured;
}

std::string config_text(const RunRecord& run, const char* key) {
  const auto found = run.config.find(key);
  if (found == run.config.end()) return "–";
  return found->is_number() ? compact(found->get<double>()) : plain_value(*found);
}

double median(std::vector<double> values) {
  values.erase(std::remove_if(values.begin(), values.end(),
                              [](double value) { return !std::isfinite(value); }),
               values.end());
  if (values.empty()) return kUnmeasured;
  std::nth_element(values.begin(), values.begin() + static_cast<std::ptrdiff_t>(values.size() / 2),
                   values.end());
  return values[values.size() / 2];
}

// One column of figures, with the best one marked.
struct Column {
  std::string title;
  enum { kHigh, kLow, kNeither } better;
  int digits;
  std::vector<double> values;  // of each run
};

std::vector<Cell> heads(const std::vector<Column>& columns) {
  std::vector<Cell> cells = {{"", "letter"}, {"run", "name"}};
  for (const Column& column : columns) cells.push_back({column.title, "number"});
  return cells;
}

Cell cell_of(const Column& column, size_t run) {
  const double value = column.values[run];
  if (!std::isfinite(value)) return {"–", "number"};
  size_t finite = 0;
  bool best = column.better != Column::kNeither;
  for (const double other : column.values) {
    if (!std::isfinite(other)) continue;
    ++finite;
    best = best && (column.better == Column::kHigh ? other <= value : other >= value);
  }
  return {column.digits < 0 ? compact(value) : fixed(value, column.digits),
          best && finite > 1 ? "number best" : "number"};
}

template <class Value>
Column column_of(const Contents& contents, const std::string& title,
                 decltype(Column::better) better, int digits, Value value) {
  Column column{title, better, digits, {}};
  for (const Run& run : contents.runs) column.values.push_back(value(run));
  return column;
}

bool any_number(const Column& column) {
  return std::any_of(column.values.begin(), column.values.end(),
                     [](double value) { return std::isfinite(value); });
}

Table table_of(const Contents& contents, std::vector<Column> columns) {
  columns.erase(std::remove_if(columns.begin(), columns.end(),
                               [](const Column& column) { return !any_number(column); }),
                columns.end());
  Table table{heads(columns), {}};
  for (size_t i = 0; i < contents.runs.size(); ++i) {
    std::vector<Cell> row = {{contents.runs[i].record.letter,
                              "letter " + colour_class(contents.runs[i].colour)},
                             {contents.runs[i].record.name, "name"}};
    for (const Column& column : columns) row.push_back(cell_of(column, i));
    table.rows.push_back(std::move(row));
  }
  return table;
}

void write_runs(Document& document, const Contents& contents) {
  Table table{{{"", "letter"},
               {"run", "name"},
               {"method", ""},
               {"updates", "number"},
               {"batch size", "number"},
               {"learning rate", "number"},
               {"seed", "number"},
               {"loss at the end", "number"},
               {"best on dev", "number"},
               {"tokens/s", "number"},
               {"written", ""}},
              {}};
  for (size_t i = 0; i < contents.runs.size(); ++i) {
    const RunRecord& record = contents.runs[i].record;
    const MetricTable& metrics = record.metrics;
    const double best = metrics.last("best_dev"), at = metrics.last("best_step");
    const std::string dev =
        std::isfinite(best) ? compact(best) + (std::isfinite(at) ? " at " + compact(at) : "") : "–";
    table.rows.push_back({{record.letter, "letter " + colour_class(contents.runs[i].colour)},
                          {record.name, "name"},
                          {record.method.empty() ? "–" : record.method, ""},
                          {metrics.empty() ? "–" : compact(metrics.update.back()), "number"},
                          {config_text(record, "batch_size"), "number"},
                          {config_text(record, "lr"), "number"},
                          {config_text(record, "seed"), "number"},
                          {compact(metrics.last("loss")), "number"},
                          {dev, "number"},
                          {compact(median(metrics.series("tokens_per_second").y)), "number"},
                          {record.written.empty() ? "–" : record.written, "date"}});
  }
  document.table(table);
}

// The report of "sts" lists the subsets of one data set or several data sets.
const char* group_of(const Json& sts) { return sts.contains("sets") ? "sets" : "subsets"; }

Table subset_table(const Contents& contents) {
  Table table{{{"part", "name"}}, {}};
  std::vector<std::string> names;
  for (const Run& run : contents.runs) {
    table.head.push_back({run.record.letter, "number"});
    if (!names.empty() || !run.measured) continue;
    const Json subsets = run.measured->sts.value(group_of(run.measured->sts), Json::object());
    for (const auto& entry : subsets.items()) names.push_back(entry.key());
  }
  for (const std::string& name : names) {
    const Column column = column_of(contents, name, Column::kHigh, 4, [&](const Run& run) {
      if (!run.measured) return kUnmeasured;
      const Json& sts = run.measured->sts;
      const double figure = number_at(sts, {group_of(sts), name.c_str(), "spearman"});
      return std::isfinite(figure)
                 ? figure
                 : number_at(sts, {group_of(sts), name.c_str(), "spearman", "all"});
    });
    std::vector<Cell> row = {{name, "name"}};
    for (size_t i = 0; i < contents.runs.size(); ++i) row.push_back(cell_of(column, i));
    table.rows.push_back(std::move(row));
  }
  return table;
}

void write_scores(Document& document, const Contents& contents) {
  document.section("Scores", "Measured for this report on " + contents.material.eval_data + ".");
  const Table subsets = subset_table(contents);
  const bool one = subsets.rows.size() <= 1;
  const auto sts = [&](const char* kind, const char* over) {
    return [=](const Run& run) {
      return run.measured ? number_at(run.measured->sts, {kind, over}) : kUnmeasured;
    };
  };
  const auto geometry = [&](const char* key) {
    return [=](const Run& run) {
      return run.measured ? number_at(run.measured->geometry, {key}) : kUnmeasured;
    };
  };
  std::vector<Column> columns;
  for (const auto& [kind, name] :
       {std::pair("spearman", "Spearman"), std::pair("pearson", "Pearson")}) {
    columns.push_back(column_of(contents, one ? name : name + std::string(", all"), Column::kHigh,
                                4, sts(kind, "all")));
    if (one) continue;
    columns.push_back(
        column_of(contents, name + std::string(", mean"), Column::kHigh, 4, sts(kind, "mean")));
    columns.push_back(column_of(contents, name + std::string(", weighted mean"), Column::kHigh, 4,
                                sts(kind, "wmean")));
  }
  columns.push_back(column_of(contents, "alignment", Column::kLow, 4, geometry("alignment")));
  columns.push_back(column_of(contents, "uniformity", Column::kLow, 4, geometry("uniformity")));
  columns.push_back(
      column_of(contents, "mean cosine", Column::kNeither, 4, geometry("mean_cosine")));
  columns.push_back(
      column_of(contents, "effective rank", Column::kNeither, 1, geometry("effective_rank")));
  document.table(
      table_of(contents, columns),
      "Spearman and Pearson: correlation of the cosine with the human scores, 1 is perfect; over "
      "all pairs, or the mean of the parts. Alignment: mean squared distance of pairs that "
      "people find similar; uniformity: how evenly all texts spread over the sphere; for both, "
      "lower "
      "is better. Mean cosine: of different "
      "texts; near 1 means that the embeddings have collapsed." +
          std::string(contents.runs.size() > 1 ? " The best of a column is bold." : ""));
  if (!one)
    document.details("Spearman correlation of each of " + std::to_string(subsets.rows.size()) +
                         " parts",
                     subsets);
}

}  // namespace

std::string letters(const std::vector<std::string>& of) {
  std::string text;
  for (const std::string& letter : of) text += (text.empty() ? "" : ", ") + letter;
  return text.empty() ? "" : text + ": ";
}

void write_overview(Document& document, const Contents& contents) {
  document.section(contents.runs.size() > 1 ? "Runs" : "Run");
  write_runs(document, contents);
  for (const Run& run : contents.runs) {
    const RunRecord& record = run.record;
    const std::string who = contents.runs.size() > 1 ? record.letter + ": " : "";
    if (!record.no_config.empty()) {
      document.note(who + record.no_config + ".");
    } else if (!record.no_metrics.empty()) {
      document.note(who + "no curves of this run, because " + record.no_metrics + ".");
    }
    if (record.metrics.cut) {
      document.note(who + "the last line of its metrics is incomplete and was left out: the run is "
                          "still writing, or was stopped while it wrote.");
    }
    if (record.metrics.replaced > 0) {
      document.note(
          who + counted(record.metrics.replaced, "line") +
          " of an earlier attempt were left out: the run was resumed from before them, or "
          "started again.");
    }
    if (record.metrics.last("collapsed") == 1) {
      document.note(who +
                    "the trainer warned that the vectors of a batch had become very similar: see "
                    "the collapse figures below.");
    }
  }
  if (contents.material.eval_data.empty()) {
    document.note(
        "No scores, because no --eval-data was given. It takes pairs as the task sts reads them, "
        "such as lines 'score TAB text TAB text'.");
  } else {
    write_scores(document, contents);
  }
}

}  // namespace contrastive::cli::report
