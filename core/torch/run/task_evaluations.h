// Evaluation tasks (core/eval) during training: the config keys "evaluate.<task>.<key>", and the
// figures of the tasks.
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

  // Finds every task that has a key in `config`. Throws kArgument for an unknown task, an unknown
  // key or an invalid value.
  explicit TaskEvaluations(const Config& config);

  bool empty() const { return tasks_.empty(); }
  bool has(const std::string& task) const;
  void check_files() const;  // kNotFound if the path of a key "data" does not exist
  // Throws kArgument, naming the key, if an encoder of this shape lacks the layers or positions
  // that a key needs. check_model() finds the other errors.
  void check_shape(const encoder::Architecture& shape) const;
  // kArgument if an encoder like `model` cannot embed with the keys "encode.*". Does not check
  // dimensions, which only the method knows.
  void check_model(const model::SentenceEncoder& model) const;
  // The names of the figures that run() will give, except counts and similar ones. Errors of the
  // keys and files of a task are reported here, before the first update, instead of at the first
  // evaluation.
  std::vector<std::string> figures() const;

  // Every number of every task's report under its path, "sts.spearman.all", in the order of the
  // reports; NaN if a figure is not defined. In a name that comes from a file, every character but
  // letters, digits, '.', '_', '-' and '@' becomes '_'. `model` is not changed. kCancelled between
  // the batches of a task.
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
