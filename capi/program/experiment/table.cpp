#include "capi/program/experiment/table.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>

#include "capi/program/failure.h"

namespace contrastive::cli {
namespace {

constexpr double kNone = std::numeric_limits<double>::quiet_NaN();

// Stands for any item of a list of which only a model knows how long it is.
const Json kOfOpenList;

bool is_index(const std::string& key) {
  return !key.empty() && key.size() < 10 &&
         key.find_first_not_of("0123456789") == std::string::npos;
}

// Every value at `path` of `value`, with what the stars of the path stood for. Keys may hold dots
// themselves: longer ones are tried first.
void collect(const Json& value, const std::string& path, const std::string& star,
             std::vector<std::pair<std::string, const Json*>>& found) {
  if (path.empty()) {
    found.emplace_back(star, &value);
    return;
  }
  for (size_t end = path.size(); end != std::string::npos;
       end = end == 0 ? std::string::npos : path.rfind('.', end - 1)) {
    const std::string key = path.substr(0, end),
                      rest = end < path.size() ? path.substr(end + 1) : "";
    if (rest.empty() && value.is_array() && value.empty() && (key == "*" || is_index(key)))
      return found.emplace_back(star, &kOfOpenList), void();
    if (key == "*" && value.is_structured()) {
      for (const auto& [name, item] : value.items()) collect(item, rest, name, found);
      return;
    }
    if (value.is_object() && value.contains(key)) return collect(value[key], rest, star, found);
    if (value.is_array() && is_index(key) && std::stoul(key) < value.size())
      return collect(value[std::stoul(key)], rest, star, found);
  }
}

std::string with_star(std::string column, const std::string& star) {
  const size_t at = column.find('*');
  return at == std::string::npos ? column : column.replace(at, 1, star);
}

// The figures of one finished run by column.
using Figures = std::vector<std::pair<std::string, double>>;

Figures figures_of_run(const ExperimentFile& file, const Run& run, const Result& result) {
  Figures figures;
  for (size_t i = 0; i < file.evaluate.size(); ++i) {
    EvaluationSpec evaluation = file.evaluate[i];
    const Json* report =
        evaluation.task == "training" ? &result.metrics : result.report(run.plan["evaluate"][i]);
    if (report == nullptr || report->is_null()) continue;
    const auto is_absent = [&](const auto& figure) {
      return find_figures(*report, figure.second).empty();
    };
    evaluation.figures.erase(std::remove_if(evaluation.figures.begin(), evaluation.figures.end(),
                                            is_absent),
                             evaluation.figures.end());
    for (auto& figure : figures_of(evaluation, *report)) figures.push_back(std::move(figure));
  }
  for (const auto& [column, of] : file.averages) {
    double sum = 0;
    for (const std::string& part : of) {
      const auto found = std::find_if(figures.begin(), figures.end(),
                                      [&](const auto& figure) { return figure.first == part; });
      sum += found == figures.end() ? kNone : found->second;
    }
    figures.emplace_back(column, sum / static_cast<double>(of.size()));
  }
  return figures;
}

void add_column(std::vector<std::string>& columns, const std::string& column) {
  if (std::find(columns.begin(), columns.end(), column) == columns.end()) columns.push_back(column);
}

// In the order of the file. What a star stands for is known once a report is there.
std::vector<std::string> columns_of(const ExperimentFile& file, const std::vector<Figures>& runs) {
  std::vector<std::string> columns;
  for (const EvaluationSpec& evaluation : file.evaluate) {
    for (const auto& [column, path] : evaluation.figures) {
      if (column.find('*') == std::string::npos) {
        add_column(columns, column);
        continue;
      }
      const std::string before = column.substr(0, column.find('*')),
                        after = column.substr(column.find('*') + 1);
      for (const Figures& figures : runs) {
        for (const auto& [name, value] : figures) {
          const bool fits = name.size() > before.size() + after.size() &&
                            name.compare(0, before.size(), before) == 0 &&
                            name.compare(name.size() - after.size(), after.size(), after) == 0;
          if (fits) add_column(columns, name);
        }
      }
    }
  }
  for (const auto& [column, of] : file.averages) add_column(columns, column);
  return columns;
}

std::vector<size_t> best_of(const Table& table, size_t column, bool lower) {
  std::vector<size_t> best;
  size_t measured = 0;
  for (size_t i = 0; i < table.cells.size(); ++i) {
    const Figure& figure = table.cells[i].figures[column];
    const double mean = figure.mean;
    if (figure.n == 0 || figure.n < table.cells[i].runs)
      continue;  // the mean of the lucky ones among the seeds is no mean
    ++measured;
    const double least = best.empty() ? mean : table.cells[best[0]].figures[column].mean;
    if (best.empty() || (lower ? mean < least : mean > least)) {
      best.assign(1, i);
    } else if (mean == least) {
      best.push_back(i);
    }
  }
  return measured > 1 && best.size() < measured ? best : std::vector<size_t>();
}

}  // namespace

void Figure::settle() {
  double sum = 0, squares = 0;
  n = 0;
  for (const double value : values) {
    if (!std::isfinite(value)) continue;
    sum += value;
    ++n;
  }
  mean = n > 0 ? sum / static_cast<double>(n) : kNone;
  for (const double value : values)
    squares += std::isfinite(value) ? (value - mean) * (value - mean) : 0;
  deviation = n > 1 ? std::sqrt(squares / static_cast<double>(n - 1)) : kNone;
}

std::vector<std::pair<std::string, const Json*>> find_figures(const Json& report,
                                                              const std::string& path) {
  std::vector<std::pair<std::string, const Json*>> found;
  collect(report, path, "", found);
  return found;
}

bool is_of_open_list(const Json* value) { return value == &kOfOpenList; }

std::vector<std::pair<std::string, double>> figures_of(const EvaluationSpec& evaluation,
                                                       const Json& report) {
  std::vector<std::pair<std::string, double>> figures;
  for (const auto& [column, path] : evaluation.figures) {
    const auto found = find_figures(report, path);
    if (found.empty()) {
      const std::string place =
          "key 'evaluate': column '" + column + "': the report of task '" + evaluation.task + "'";
      throw usage_failure(place + " has no '" + path + "'",
                          "the report: " + report.dump().substr(0, 600));
    }
    for (const auto& [star, value] : found) {
      if (!value->is_number() && !value->is_null()) {
        throw usage_failure("key 'evaluate': '" + path + "' in the report of task '" +
                                evaluation.task + "' is no number",
                            "it is: " + value->dump().substr(0, 600));
      }
      const std::string name = with_star(column, star);
      if (std::any_of(figures.begin(), figures.end(),
                      [&](const auto& figure) { return figure.first == name; })) {
        throw usage_failure(
            "key 'evaluate': '" + path + "' finds more than one figure for column '" + name + "'",
            "a * in the column's name stands for what the last * of the path finds");
      }
      figures.emplace_back(name,
                           value->is_null() ? kNone : evaluation.scale * value->get<double>());
    }
  }
  return figures;
}

Table make_table(const ExperimentFile& file, const Plan& plan, const std::vector<Result>& results) {
  std::vector<Figures> figures(plan.runs.size());
  try {
    for (size_t i = 0; i < results.size(); ++i) {
      if (results[i].status == "finished")
        figures[i] = figures_of_run(file, plan.runs[i], results[i]);
    }
  } catch (Failure& failure) {
    throw failure.at(file.path);
  }
  Table table;
  table.columns = columns_of(file, figures);
  for (const Cell& cell : plan.cells) {
    TableCell line;
    line.cell = &cell;
    line.figures.resize(table.columns.size());
    for (const size_t run : cell.runs) {
      const Result& result = results[run];
      ++line.runs;
      if (result.status == "failed") {
        ++line.failed;
        line.failures.push_back("seed " + std::to_string(plan.runs[run].seed) + ": " + result.code +
                                ": " + result.message);
      }
      if (result.status != "finished") continue;
      ++line.finished;
      for (size_t c = 0; c < table.columns.size(); ++c) {
        const std::string& column = table.columns[c];
        const auto found = std::find_if(figures[run].begin(), figures[run].end(),
                                        [&](const auto& figure) { return figure.first == column; });
        line.figures[c].values.push_back(found == figures[run].end() ? kNone : found->second);
      }
    }
    for (Figure& figure : line.figures) figure.settle();
    table.cells.push_back(std::move(line));
  }
  for (size_t c = 0; c < table.columns.size(); ++c) {
    table.best.push_back(best_of(table, c,
                                 std::find(file.lower.begin(), file.lower.end(),
                                           table.columns[c]) != file.lower.end()));
  }
  return table;
}

}  // namespace contrastive::cli
