#include "core/adapt/adapt_training.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <utility>

#include "core/base/error.h"
#include "core/base/file.h"
#include "core/base/log.h"
#include "core/base/progress_report.h"
#include "core/data/line_reader.h"
#include "core/eval/figures.h"
#include "core/io/atomic_file.h"
#include "core/training/trainer.h"

namespace contrastive::adapt {
namespace {

constexpr size_t kMostPoints = 200;  // of the course in the report, evaluations aside

// The metrics of the updates. A run that resumed after a kill made some updates twice: the later
// lines count. A line that a kill cut short is ignored.
std::map<int64_t, Json> read_course(const std::string& path) {
  std::map<int64_t, Json> lines;
  if (!path_exists(path)) return lines;
  data::LineReader reader(path);
  reader.scan([&](const data::Line& line) {
    try {
      const Json row = parse_json(line.text, path);
      if (row.is_object() && row.contains("step") && row["step"].is_number_integer())
        lines[row["step"].get<int64_t>()] = row;
    } catch (const Error&) {
      // cut short, or of somebody else
    }
  });
  return lines;
}

Json member(const Json& row, const std::string& name) {
  const auto at = row.find(name);
  return at == row.end() ? Json() : *at;
}

Json course_of(const std::string& path, const std::string& figure, const Json& start,
               int64_t steps) {
  Json course = Json::array({{{"step", 0}, {"loss", nullptr}, {"dev", start}}});
  const std::map<int64_t, Json> lines = read_course(path);
  const size_t every = std::max<size_t>(1, (lines.size() + kMostPoints - 1) / kMostPoints);
  size_t number = 0;
  for (const auto& [step, row] : lines) {
    if (step > steps) continue;
    Json dev = member(row, figure);
    if (step == 1 && dev == start)
      dev = nullptr;  // the record of the first update has what was measured before it
    if (number++ % every == 0 || !dev.is_null())
      course.push_back({{"step", step}, {"loss", member(row, "loss")}, {"dev", dev}});
  }
  return course;
}

// A folder that a kill left incomplete has no state, because saving is atomic.
bool can_resume(const std::string& folder) { return path_exists(folder + "/training_state"); }

int64_t whole(const training::Trainer& trainer, const char* metric) {
  const double value = trainer.metric(metric);
  return std::isfinite(value) ? static_cast<int64_t>(value) : 0;
}

std::unique_ptr<training::Trainer> begin(std::shared_ptr<model::SentenceEncoder> model,
                                         std::shared_ptr<const data::Dataset> data,
                                         const Config& config, const std::string& dev_figure,
                                         const TrainingPlaces& places, const Cancel* cancel) {
  if (can_resume(places.state)) {
    auto trainer = training::resume_trainer(places.state, std::move(model), std::move(data), {});
    log_info("adapt: the training resumes after update ", whole(*trainer, "step"));
    return trainer;
  }
  remove_tree(places.course.c_str());
  auto trainer = training::make_trainer(std::move(model), std::move(data), config);
  trainer->evaluate(cancel);
  io::write_file_atomic(places.start,
                        Json({{"dev", eval::number_or_null(trainer->metric(dev_figure))}}).dump());
  trainer->save(places.state);
  return trainer;
}

void step_to_the_end(training::Trainer& trainer, const TrainingPlaces& places, int64_t save_every,
                     const Cancel* cancel) {
  try {
    ProgressReport progress(cancel, whole(trainer, "total_steps"), "updates made");
    while (trainer.step(cancel) != Status::kDone) {
      const int64_t step = whole(trainer, "step");
      log_info("adapt: ", step, " of ", whole(trainer, "total_steps"), " updates made");
      progress.at(step);
      if (step % save_every == 0) trainer.save(places.state);
    }
  } catch (const Error& error) {
    if (error.status() == Status::kCancelled && whole(trainer, "step") > 0)
      trainer.save(places.state);
    throw;
  }
}

}  // namespace

Json run_training(std::shared_ptr<model::SentenceEncoder> model,
                  std::shared_ptr<const data::Dataset> data, Config config,
                  const std::string& dev_figure, const TrainingPlaces& places, int64_t save_every,
                  const Cancel* cancel) {
  config.set_json("metrics_file", places.course);
  const auto trainer = begin(std::move(model), std::move(data), config, dev_figure, places, cancel);
  step_to_the_end(*trainer, places, save_every, cancel);
  trainer->save_best(places.best);
  const Json start = member(read_json_file(places.start), "dev");
  const int64_t steps = whole(*trainer, "step");
  Json report = {{"steps", steps},
                 {"total_steps", whole(*trainer, "total_steps")},
                 {"best_step", whole(*trainer, "best_step")}};
  report["start_dev"] = start;
  report["best_dev"] = eval::number_or_null(trainer->metric("best_dev"));
  report["truncated"] = whole(*trainer, "truncated");
  report["course"] = course_of(places.course, dev_figure, start, steps);
  report["config"] = trainer->resolved_config().to_json();
  return report;
}

}  // namespace contrastive::adapt
