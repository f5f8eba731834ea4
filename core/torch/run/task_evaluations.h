// Evaluation tasks (core/eval) while a model trains: the config keys "evaluate.<task>.<key>", and
// the figures that the tasks give.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "core/base/cancel.h"
#include "core/base/config.h"
#include "core/base/json.h"
#include "core/model/sentence_encoder.h"

namespace contrastive::run {

class TaskEvaluations {
 public:
  static constexpr const char* kPrefix = "evaluate.";

  // Every task of which `config` has a key. kArgument for an unknown task, and for an unknown key
  // or a bad value of one that is known.
  explicit TaskEvaluations(const Config& config);

  bool empty() const { return tasks_.empty(); }
  bool has(const std::string& task) const;
  void check_files() const;  // kNotFound for a key "data" that names nothing
  // kArgument, naming the key, where an encoder of this shape has no such layers or positions;
  // check_model() finds the rest.
  void check_shape(const encoder::Architecture& shape) const;
  // kArgument where an encoder like `model` cannot embed as the keys "encode.*" say. How many
  // dimensions there will be, only the method knows.
  void check_model(const model::SentenceEncoder& model) const;
  // The names of the figures that run() will give, but for counts and the like. What is wrong with
  // the keys and files of a task is found here, before the first update, and not at the first
  // evaluation.
  std::vector<std::string> figures() const;

  // Every number of every task's report under its path, "sts.spearman.all", in the order of the
  // reports; NaN where a figure is not defined. Of a name that comes from a file, what is no
  // letter, digit, '.', '_', '-' or '@' becomes '_'. `model` is read only. kCancelled between the
  // batches of a task.
  std::vector<std::pair<std::string, double>> run(const model::SentenceEncoder& model,
                                                  const Cancel* cancel = nullptr) const;

  // The keys of all tasks, as rows of cs_config_describe.
  static Json describe();

 private:
  struct Task {
    std::string name;
    Config config;  // its keys, without "evaluate.<task>."
  };
  template <class Body>
  void for_each_task(const Body& body) const;
  std::vector<Task> tasks_;
};

}  // namespace contrastive::run
