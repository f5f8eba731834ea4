// The sections "Training" and "Collapse watch": what the trainer measured over the updates.
#include <algorithm>
#include <cmath>
#include <set>

#include "capi/program/report/charts.h"
#include "capi/program/report/sections.h"
#include "capi/program/report/text.h"
#include "capi/program/terminal.h"

namespace contrastive::cli::report {
namespace {

constexpr const char* kTermPrefix = "loss.";
constexpr const char* kTaskPrefix = "evaluate.";
constexpr size_t kMostOfATask = 4;

// Turns a column into a curve.
using Take = Series (*)(const MetricTable& table, const std::string& column, const Json& config);

Series every_line(const MetricTable& table, const std::string& column, const Json&) {
  return table.series(column);
}
Series every_look(const MetricTable& table, const std::string& column, const Json& config) {
  return view_looks(table, column, config);
}
Series every_score(const MetricTable& table, const std::string& column, const Json& config) {
  return scores(table, column, config);
}

// Replaces the curves by one for each cell, the mean over its seeds, in the order of the cells.
void join_seeds(const Contents& contents, LineChart& chart) {
  std::vector<std::pair<std::string, std::vector<Curve>>> cells;
  for (Curve& curve : chart.curves) {
    const std::string name = contents.runs[curve.run].record.cell;
    auto cell = std::find_if(cells.begin(), cells.end(),
                             [&](const auto& other) { return other.first == name; });
    if (cell == cells.end()) cell = cells.insert(cells.end(), {name, {}});
    cell->second.push_back(std::move(curve));
  }
  chart.curves.clear();
  for (auto& [name, curves] : cells) {
    Curve joined{curves[0].run, curves[0].colour, curves[0].letter, name, {}, {}};
    std::vector<Series> series;
    for (Curve& curve : curves) {
      joined.runs.push_back(curve.letter);
      series.push_back(std::move(curve.series));
    }
    joined.series = mean_of(series);
    joined.breaks = curves[0].breaks;
    chart.curves.push_back(std::move(joined));
  }
  chart.crowded = true;
}

LineChart chart_of(const Contents& contents, const std::string& column, const std::string& what,
                   const std::string& y, Take take) {
  LineChart chart;
  chart.what = what;
  chart.y = y;
  for (size_t i = 0; i < contents.runs.size(); ++i) {
    const RunRecord& record = contents.runs[i].record;
    Series series = take(record.metrics, column, record.config);
    if (std::none_of(series.y.begin(), series.y.end(),
                     [](double value) { return std::isfinite(value); }))
      continue;
    Curve curve{i, contents.runs[i].colour, record.letter, record.name, {}, std::move(series)};
    for (const auto& start : stage_starts(record.metrics)) curve.breaks.push_back(start.first);
    chart.curves.push_back(std::move(curve));
    if (contents.runs.size() == 1) chart.rules = stage_starts(record.metrics);
  }
  if (contents.runs.size() > kMostLabelled) join_seeds(contents, chart);
  return chart;
}

std::vector<std::string> without(const Contents& contents, const LineChart& chart) {
  std::vector<std::string> missing;
  for (const Run& run : contents.runs) {
    const bool there =
        std::any_of(chart.curves.begin(), chart.curves.end(), [&](const Curve& curve) {
          return curve.letter == run.record.letter ||
                 std::find(curve.runs.begin(), curve.runs.end(), run.record.letter) !=
                     curve.runs.end();
        });
    if (!there) missing.push_back(run.record.letter);
  }
  return missing;
}

// " Not measured: C." if a figure of several runs lacks some of them.
std::string lacking(const Contents& contents, const LineChart& chart) {
  std::string names;
  for (const std::string& letter : without(contents, chart))
    names += (names.empty() ? "" : ", ") + letter;
  return names.empty() ? "" : " Not measured: " + names + ".";
}

bool add(Document& document, const Contents& contents, const LineChart& chart,
         const std::string& title, const std::string& caption, bool wide = false) {
  if (!has_numbers(chart)) return false;
  const char* const crowd = chart.crowded
                                ? " Each line is the mean over the seeds of a cell; point "
                                  "at it to see its name."
                                : "";
  document.figure({title, caption + crowd + lacking(contents, chart), description(chart),
                   data_of(chart), wide});
  return true;
}

std::string mean_caption(const LineChart& chart) {
  size_t longest = 0;
  for (const Curve& curve : chart.curves) longest = std::max(longest, curve.series.size());
  const size_t window = smoothing_window(longest);
  if (window < 2) return "";
  return std::string(" Strong line: mean of ") + (chart.curves.size() > 1 ? "up to " : "") +
         std::to_string(window) + " updates" +
         (chart.curves.size() <= 3 ? "; behind it, faint, every update." : ".");
}

// The terms of the loss in any run.
std::vector<std::string> loss_terms(const Contents& contents) {
  std::set<std::string> names;
  for (const Run& run : contents.runs) {
    for (const auto& entry : run.record.metrics.columns) {
      const std::string& name = entry.first;
      if (name.rfind(kTermPrefix, 0) == 0 && name != "loss.total" && name != "loss.loss")
        names.insert(name);
    }
  }
  return {names.begin(), names.end()};
}

void write_loss(Document& document, const Contents& contents) {
  LineChart chart = chart_of(contents, "loss", "the training loss", "loss", every_line);
  chart.noisy = true;
  const bool shown = add(document, contents, chart, "Training loss",
                         "The loss that each update lowers. Losses of different methods, "
                         "temperatures or batch sizes are not on one scale: compare "
                         "their course, not their level." +
                             mean_caption(chart),
                         true);
  if (!shown) document.note("No loss curve: no line of the metrics has a loss.");
}

void write_terms(Document& document, const Contents& contents) {
  const std::vector<std::string> names = loss_terms(contents);
  if (names.size() < 2) return;
  for (const std::string& name : names) {
    const std::string term = name.substr(std::string(kTermPrefix).size());
    LineChart chart = chart_of(contents, name, "the loss term " + term, term, every_line);
    chart.noisy = true;
    add(document, contents, chart, "Loss term: " + term,
        "One of the parts that the loss is the weighted sum of.");
  }
}

void write_dev(Document& document, const Contents& contents) {
  LineChart chart = chart_of(contents, "dev", "the score on the dev set", "score", every_score);
  chart.points = true;
  for (Curve& curve : chart.curves) {
    if (chart.crowded) break;  // a mean over seeds has no best update
    const MetricTable& table = contents.runs[curve.run].record.metrics;
    const double step = table.last("best_step");
    if (!std::isfinite(step) || table.empty()) continue;
    curve.best = table.last("best_dev");
    curve.best_at = table.update.back() - table.step.back() + step;
    curve.marked_best = std::isfinite(curve.best);
  }
  const bool shown =
      add(document, contents, chart, "Score on the dev set",
          "Measured on held-out examples; higher is better. " +
              std::string(
                  chart.crowded
                      ? ""
                      : "The ring marks the best one, with whose weights the run was saved."),
          true);
  if (!shown) document.note("No dev curve: the runs were given no --dev file.");
}

// A column of counts, such as the number of pairs, is not worth a curve.
bool whole_numbers(const std::vector<double>& values) {
  return std::all_of(values.begin(), values.end(), [](double value) {
    return !std::isfinite(value) || value == std::floor(value);
  });
}

// The figures of the tasks that the runs evaluate: a few of each task, those at the top of its
// report first.
std::vector<std::string> task_figures(const Contents& contents) {
  std::set<std::string> tasks;
  for (const Run& run : contents.runs) {
    for (const auto& entry : run.record.config.items()) {
      if (entry.key().rfind(kTaskPrefix, 0) != 0) continue;
      const size_t begin = std::string(kTaskPrefix).size();
      tasks.insert(entry.key().substr(begin, entry.key().find('.', begin) - begin));
    }
  }
  std::vector<std::string> figures;
  for (const std::string& task : tasks) {
    std::set<std::pair<int64_t, std::string>> found;
    for (const Run& run : contents.runs) {
      for (const auto& [name, values] : run.record.metrics.columns) {
        if (name.rfind(task + ".", 0) == 0 && !whole_numbers(values))
          found.insert({std::count(name.begin(), name.end(), '.'), name});
      }
    }
    size_t taken = 0;
    for (const auto& [depth, name] : found) {
      if (taken++ < kMostOfATask) figures.push_back(name);
    }
  }
  return figures;
}

void write_tasks(Document& document, const Contents& contents) {
  for (const std::string& name : task_figures(contents)) {
    LineChart chart = chart_of(contents, name, name, "figure", every_score);
    chart.points = true;
    add(document, contents, chart, "Task during training: " + name,
        "A figure of the task, measured on the model as it would be saved at that update.");
  }
}

void write_pace(Document& document, const Contents& contents) {
  add(document, contents,
      chart_of(contents, "lr", "the learning rate", "learning rate", every_line), "Learning rate",
      "The rate that the schedule gives each update: warm-up, then decay.");
  LineChart norm = chart_of(contents, "grad_norm", "the gradient norm", "norm", every_line);
  norm.noisy = true;
  add(document, contents, norm, "Gradient norm",
      "Length of the whole gradient before clipping. A spike is a batch with a large gradient. "
      "A norm near 0 means that nothing is left to learn." +
          mean_caption(norm));
  LineChart rate =
      chart_of(contents, "tokens_per_second", "the tokens per second", "tokens/s", every_line);
  rate.noisy = true;
  add(document, contents, rate, "Throughput", "Tokens that training processed per second.");
}

void write_collapse(Document& document, const Contents& contents) {
  struct View {
    const char *column, *title, *y, *caption;
  };
  static const View kViews[] = {
      {"view.alignment", "Alignment of the views", "mean squared distance",
       "Distance between the two views of an example; lower is closer."},
      {"view.uniformity", "Uniformity of the views", "log of a mean",
       "How evenly the batch spreads over the sphere; lower: more even, 0: one point."},
      {"view.mean_cosine", "Mean cosine of different examples", "cosine",
       "Near 0 the vectors are unrelated; a rise towards 1 is collapse."},
      {"view.effective_rank", "Effective rank", "dimensions",
       "How many dimensions the vectors of the batch use; a fall towards 1 is collapse."}};
  document.section("Collapse watch", "A contrastive model fails by mapping every text to the same "
                                     "place. These figures look at up to 128 examples of a batch.");
  bool any = false;
  std::vector<PlanePath> paths;
  for (const View& view : kViews) {
    LineChart chart = chart_of(contents, view.column, view.title, view.y, every_look);
    chart.points = true;
    any = add(document, contents, chart, view.title, view.caption) || any;
  }
  for (size_t i = 0; i < contents.runs.size(); ++i) {
    const RunRecord& record = contents.runs[i].record;
    const Series x = view_looks(record.metrics, "view.uniformity", record.config),
                 y = view_looks(record.metrics, "view.alignment", record.config);
    PlanePath path;
    for (size_t i_x = 0, i_y = 0;
         i_x < x.size() && i_y < y.size();) {  // a measurement may lack one of the two
      if (x.x[i_x] == y.x[i_y]) path.course.add(x.y[i_x], y.y[i_y]);
      const bool behind = x.x[i_x]<y.x[i_y], ahead = x.x[i_x]> y.x[i_y];
      i_x += ahead ? 0 : 1;
      i_y += behind ? 0 : 1;
    }
    if (path.course.size() == 0) continue;
    path.last = {contents.runs[i].colour, contents.runs.size() > 1 ? record.letter : "end",
                 path.course.x.back(), path.course.y.back()};
    paths.push_back(std::move(path));
  }
  if (!paths.empty()) {
    document.figure({"Course through the alignment-uniformity plane",
                     "From the ring (first measurement) to the point (last measurement). Both are "
                     "good at the lower left; training trades one for the "
                     "other (Wang and Isola, 2020).",
                     description(paths), data_of(paths)});
  }
  if (!any)
    document.note(
        "No collapse figures: the metrics have none. The key watch_every says how often the "
        "trainer takes them.");
}

}  // namespace

void write_training(Document& document, const Contents& contents) {
  const bool none = std::all_of(contents.runs.begin(), contents.runs.end(),
                                [](const Run& run) { return run.record.metrics.empty(); });
  if (none) return;  // the section "Runs" says why
  document.section("Training", "What the trainer measured over the updates of the weights.");
  write_loss(document, contents);
  write_terms(document, contents);
  write_dev(document, contents);
  write_tasks(document, contents);
  write_pace(document, contents);
  write_collapse(document, contents);
}

}  // namespace contrastive::cli::report
