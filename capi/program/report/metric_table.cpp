#include "capi/program/report/metric_table.h"

#include <cmath>
#include <limits>
#include <set>

#include "capi/program/failure.h"
#include "capi/program/files.h"
#include "capi/program/json_of.h"

namespace contrastive::cli::report {
namespace {

constexpr double kNone = std::numeric_limits<double>::quiet_NaN();
constexpr size_t kMostBytes = size_t{1} << 30;

struct Row {
  int stage = 1;
  double step = 0;
  std::map<std::string, double> numbers;
  bool before(const Row& other) const {
    return stage != other.stage ? stage < other.stage : step < other.step;
  }
};

Failure damaged(const std::string& path, int64_t line, const std::string& what) {
  return Failure(kExitData, "FORMAT", what).at(path, line);
}

Row row_of(const std::string& text, const std::string& path, int64_t line) {
  const Json object = json_of(text);
  if (object.is_discarded())
    throw damaged(
        path, line,
        "this is not JSON: a line of metrics is an object, as `contrastive train` writes it");
  if (!object.is_object()) throw damaged(path, line, "a line of metrics must be a JSON object");
  const auto step = object.find("step");
  if (step == object.end() || !step->is_number())
    throw damaged(path, line, "a line of metrics must have a number \"step\"");
  Row row;
  for (const auto& [name, value] : object.items()) {
    if (value.is_number()) row.numbers[name] = value.get<double>();
  }
  row.step = row.numbers["step"];
  const auto stage = row.numbers.find("stage");
  if (stage != row.numbers.end())
    row.stage = static_cast<int>(std::min(std::max(stage->second, 1.0), 1e6));
  return row;
}

MetricTable table_of(const std::vector<Row>& rows) {
  MetricTable table;
  std::set<std::string> names;
  for (const Row& row : rows) {
    for (const auto& entry : row.numbers) names.insert(entry.first);
  }
  double offset = 0;
  for (size_t i = 0; i < rows.size(); ++i) {
    if (i > 0 && rows[i].stage != rows[i - 1].stage) offset = table.update.back();
    table.update.push_back(offset + rows[i].step);
    table.step.push_back(rows[i].step);
    table.stage.push_back(rows[i].stage);
  }
  for (const std::string& name : names) {
    std::vector<double>& column = table.columns[name];
    for (const Row& row : rows) {
      const auto found = row.numbers.find(name);
      column.push_back(found == row.numbers.end() ? kNone : found->second);
    }
  }
  return table;
}

// A number of the run's config. The key of the stage comes first.
double config_number(const Json& config, int stage, const std::string& key) {
  for (const std::string& name : {"stage" + std::to_string(stage) + "." + key, key}) {
    const auto found = config.find(name);
    if (found != config.end() && found->is_number()) return found->get<double>();
  }
  return 0;
}

bool multiple(double step, double every) { return every > 0 && std::fmod(step, every) == 0; }

}  // namespace

Series MetricTable::series(const std::string& name) const {
  const auto found = columns.find(name);
  return found == columns.end() ? Series() : Series{update, found->second};
}

double MetricTable::last(const std::string& name) const {
  const Series all = series(name);
  for (size_t i = all.size(); i-- > 0;) {
    if (std::isfinite(all.y[i])) return all.y[i];
  }
  return kNone;
}

MetricTable read_metrics(const std::string& path) {
  const std::string text = read_text_file(path, kMostBytes);
  std::vector<Row> rows;
  int64_t line = 0, replaced = 0;
  bool cut = false;
  for (size_t begin = 0; begin < text.size();) {
    const size_t newline = text.find('\n', begin),
                 end = newline == std::string::npos ? text.size() : newline;
    const std::string one = text.substr(begin, end - begin);
    begin = end + 1;
    ++line;
    if (one.find_first_not_of(" \t\r") == std::string::npos) continue;
    if (newline == std::string::npos && !Json::accept(one)) {
      cut = true;
      break;
    }
    Row row = row_of(one, path, line);
    for (; !rows.empty() && !rows.back().before(row); ++replaced)
      rows.pop_back();  // the run was resumed from before it, or started again
    rows.push_back(std::move(row));
  }
  MetricTable table = table_of(rows);
  table.replaced = replaced;
  table.cut = cut;
  return table;
}

Series scores(const MetricTable& table, const std::string& name, const Json& config) {
  const Series all = table.series(name),
               best_step = name == "dev" ? table.series("best_step") : Series();
  const Series total = table.series("total_steps"), per_epoch = table.series("steps_per_epoch");
  Series measured;
  for (size_t i = 0; i < all.size(); ++i) {
    if (!std::isfinite(all.y[i])) continue;
    const int stage = table.stage[i];
    const double step = table.step[i], epoch = per_epoch.size() > 0 ? per_epoch.y[i] : 0;
    const double own = name == "dev" ? 0 : config_number(config, stage, "evaluate_every");
    const double every = own > 0 ? own : config_number(config, stage, "eval_every"),
                 epochs = config_number(config, stage, "eval_every_epochs");
    const bool due = multiple(step, every > 0 ? every : epochs * epoch) ||
                     (best_step.size() > 0 && best_step.y[i] == step) ||
                     (total.size() > 0 && total.y[i] == step);
    const bool first = i == 0 || table.stage[i - 1] != stage,
               changed = first || !(all.y[i] == all.y[i - 1]);
    if (!due && !changed) continue;
    measured.add(first && !due ? all.x[i] - step : all.x[i],
                 all.y[i]);  // before the first update, where the first line already has it
  }
  return measured;
}

Series view_looks(const MetricTable& table, const std::string& name, const Json& config) {
  const Series all = table.series(name), total = table.series("total_steps");
  Series looks;
  for (size_t i = 0; i < all.size(); ++i) {
    if (!std::isfinite(all.y[i])) continue;
    const double every = config_number(config, table.stage[i], "watch_every"),
                 begun = table.update[i] - table.step[i];
    // The measurement is made before the update is counted. The last update is measured as well.
    const bool last = total.size() > 0 && total.y[i] == table.step[i];
    const double at = every <= 0 ? all.x[i]
                                 : begun + (last ? table.step[i] - 1
                                                 : std::floor((table.step[i] - 1) / every) * every);
    // A resumed run repeats the last measurement of the run before, which was at a later update.
    const bool repeated =
        every > 0 ? looks.size() > 0 && looks.x.back() >= at : i > 0 && all.y[i] == all.y[i - 1];
    if (!repeated) looks.add(at, all.y[i]);
  }
  return looks;
}

std::vector<std::pair<double, std::string>> stage_starts(const MetricTable& table) {
  std::vector<std::pair<double, std::string>> starts;
  for (size_t i = 1; i < table.update.size(); ++i) {
    if (table.stage[i] != table.stage[i - 1])
      starts.emplace_back(table.update[i - 1], "stage " + std::to_string(table.stage[i]));
  }
  return starts;
}

}  // namespace contrastive::cli::report
