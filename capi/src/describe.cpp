#include "capi/src/describe.h"

#include <functional>
#include <utility>
#include <vector>

#include "capi/src/guard.h"
#include "core/adapt/adapt_options.h"
#include "core/base/log.h"
#include "core/base/nearest.h"
#include "core/data/data_options.h"
#include "core/eval/evaluate.h"
#include "core/mining/mining_options.h"
#include "core/model/load_model.h"
#include "core/model/model_recipe.h"
#include "core/runtime/torch_plugin.h"
#include "core/training/trainer.h"
#include "core/vocabulary/learn_vocabulary.h"

namespace contrastive::capi {
namespace {

using Topic = std::pair<std::string, std::function<Json()>>;

// The topics that do not need LibTorch.
std::vector<Topic> own_topics() {
  std::vector<Topic> list = {
      {"model", [] { return describe_options<model::ModelOptions>(); }},
      {"recipe", [] { return describe_options<model::ModelRecipe>(); }},
      {"vocabulary", [] { return describe_options<vocabulary::VocabularyOptions>(); }},
      {"mining", [] { return describe_options<mining::MiningOptions>(); }},
      {"data", [] { return describe_options<data::DataOptions>(data::DataOptions::kPrefix); }},
  };
  for (const std::string& task : eval::task_names()) {
    if (!eval::is_training_task(task))
      list.emplace_back(task, [task] { return eval::describe_task(task); });
  }
  return list;
}

// The topics of the training plugin. Loads the plugin.
std::vector<Topic> training_topics() {
  std::vector<Topic> list = {{"train", [] { return training::describe_config(""); }},
                             {"adapt", [] { return adapt::describe_adapt_config(); }}};
  for (const std::string& method : training::method_names()) {
    list.emplace_back(method, [method] { return training::describe_config(method); });
  }
  for (const std::string& task : eval::task_names()) {
    if (eval::is_training_task(task))
      list.emplace_back(task, [task] { return eval::describe_task(task); });
  }
  return list;
}

}  // namespace

Json describe_topic(const std::string& topic) {
  std::vector<std::string> known;
  const auto find = [&](const std::vector<Topic>& topics) -> const Topic* {
    for (const Topic& one : topics) {
      if (one.first == topic) return &one;
      known.push_back(one.first);
    }
    return nullptr;
  };
  const std::vector<Topic> own = own_topics();
  if (const Topic* const found = find(own)) return found->second();
  try {
    const std::vector<Topic> training = training_topics();
    if (const Topic* const found = find(training)) return found->second();
  } catch (const Error& error) {
    if (runtime::loaded_torch_plugin() != nullptr) throw;
    std::string list;
    for (const std::string& name : known) list += cat(list.empty() ? "" : ", ", name);
    fail(error.status(), error.message(), ". The topic '", topic,
         "' is not one of those without it: ", list);
  }
  fail(Status::kArgument, unknown_name("topic", topic, known));
}

Json describe_all() {
  Json all = Json::object();
  for (const auto& [name, rows] : own_topics()) all[name] = rows();
  try {
    for (const auto& [name, rows] : training_topics()) {
      check(!all.contains(name), Status::kInternal, "two topics are called '", name, "'");
      all[name] = rows();
    }
  } catch (const Error& error) {
    if (runtime::loaded_torch_plugin() != nullptr) throw;
    // Without the training plugin the other topics are still available.
    log_info("the topics of training are left out: ", error.message());
  }
  return all;
}

}  // namespace contrastive::capi

char* cs_config_describe(const char* topic, cs_error** error) {
  using namespace contrastive::capi;
  return construct(error, [&] {
    return copy_string(
        contrastive::dump_ascii(topic == nullptr ? describe_all() : describe_topic(topic)));
  });
}
