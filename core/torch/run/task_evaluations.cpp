#include "core/torch/run/task_evaluations.h"

#include <algorithm>

#include "core/base/error.h"
#include "core/base/file.h"
#include "core/base/named_by_key.h"
#include "core/base/nearest.h"
#include "core/encoder/pooling.h"
#include "core/eval/encode_keys.h"
#include "core/eval/evaluate.h"
#include "core/eval/figures.h"

namespace contrastive::run {
namespace {

std::string prefix_of(const std::string& task) { return TaskEvaluations::kPrefix + task + "."; }

// "evaluate.sts.data" -> "sts"; "" for a key of something else.
std::string task_of(const std::string& key) {
  const std::string prefix = TaskEvaluations::kPrefix;
  return key.rfind(prefix, 0) == 0
             ? key.substr(prefix.size(), key.find('.', prefix.size()) - prefix.size())
             : "";
}

}  // namespace

TaskEvaluations::TaskEvaluations(const Config& config) {
  const std::vector<std::string> known = eval::task_names();
  for (const std::string& key : config.keys()) {
    const std::string name = task_of(key);
    if (name.empty()) continue;
    check(std::find(known.begin(), known.end(), name) != known.end(), Status::kArgument,
          "config key '", key, "': ", unknown_name("task", name, known));
    if (tasks_.empty() || tasks_.back().name != name)
      tasks_.push_back({name, {}});  // keys are sorted
    tasks_.back().config.set_json(key.substr(prefix_of(name).size()), *config.find(key));
  }
  for (const Task& task : tasks_) eval::check_task(task.name, config, prefix_of(task.name));
}

bool TaskEvaluations::has(const std::string& task) const {
  return std::any_of(tasks_.begin(), tasks_.end(),
                     [&](const Task& each) { return each.name == task; });
}

void TaskEvaluations::check_files() const {
  for (const Task& task : tasks_) {
    const Json* data = task.config.find("data");
    const bool there = data == nullptr || !data->is_string() || data->get<std::string>().empty() ||
                       path_exists(data->get<std::string>());
    check(there, Status::kNotFound, "config key '", prefix_of(task.name),
          "data': ", there ? "" : data->get<std::string>(), " is not there");
  }
}

// Errors of a task name the keys as in the run's config.
template <class Body>
void TaskEvaluations::for_each_task(const Body& body) const {
  for (const Task& task : tasks_) {
    try {
      body(task);
    } catch (const Error& error) {
      if (error.status() == Status::kCancelled) throw;
      fail(error.status(), "config keys '", prefix_of(task.name), "*': ", error.message());
    }
  }
}

void TaskEvaluations::check_shape(const encoder::Architecture& shape) const {
  for (const Task& task : tasks_) {
    const auto keys = read_options<eval::EncodeKeys>(task.config, "encode.");
    const std::string prefix = prefix_of(task.name) + "encode.";
    if (!keys.pooling.empty())
      named_by_key(prefix + "pooling",
                   [&] { return encoder::parse_pooling(keys.pooling, shape.num_hidden_layers); });
    check(keys.max_length <= shape.max_tokens(), Status::kArgument, "config key '", prefix,
          "max_length' is ", keys.max_length, ", above the model's ", shape.max_tokens(),
          " tokens");
  }
}

void TaskEvaluations::check_model(const model::SentenceEncoder& model) const {
  for_each_task([&](const Task& task) {
    auto keys = read_options<eval::EncodeKeys>(task.config, "encode.");
    keys.truncate_dim = 0;
    const std::vector<std::string> set = task.config.keys();
    const bool own = std::any_of(set.begin(), set.end(), [](const std::string& key) {
      return key.rfind("encode.", 0) == 0;
    });
    if (own) model.dimension(keys.resolved(nullptr));
  });
}

std::vector<std::string> TaskEvaluations::figures() const {
  std::vector<std::string> names;
  for_each_task([&](const Task& task) {
    for (const std::string& name : eval::figures_of_task(task.name, task.config))
      names.push_back(task.name + "." + name);
  });
  return names;
}

std::vector<std::pair<std::string, double>> TaskEvaluations::run(
    const model::SentenceEncoder& model, const Cancel* cancel) const {
  std::vector<std::pair<std::string, double>> figures;
  for_each_task([&](const Task& task) {
    const Json report = eval::evaluate(model, task.name, task.config, cancel);
    for (const auto& [name, value] : eval::figures_of(report))
      figures.emplace_back(task.name + "." + name, value);
  });
  return figures;
}

Json TaskEvaluations::describe() {
  Json rows = Json::array();
  for (const std::string& task : eval::task_names()) {
    for (const Json& row : eval::describe_task(task, prefix_of(task)))
      rows.push_back(changeable_on_resume(row));  // an evaluation does not change weights
  }
  return rows;
}

}  // namespace contrastive::run
