#include "capi/src/describe.h"

#include <functional>
#include <utility>
#include <vector>

#include "capi/src/guard.h"
#include "core/base/nearest.h"
#include "core/data/data_options.h"
#include "core/eval/evaluate.h"
#include "core/methods/registry.h"
#include "core/model/model_recipe.h"
#include "core/model/sentence_encoder.h"
#include "core/train/trainer.h"
#include "core/train/vocabulary.h"

namespace contrastive::capi {
namespace {

using Topic = std::pair<std::string, std::function<Json()>>;

std::vector<Topic> topics() {
  std::vector<Topic> list = {
      {"model", [] { return describe_options<model::LoadOptions>(); }},
      {"recipe", [] { return describe_options<model::ModelRecipe>(); }},
      {"vocabulary", [] { return describe_options<train::VocabularyOptions>(); }},
      {"data", [] { return describe_options<data::DataOptions>(data::DataOptions::kPrefix); }},
      {"train", [] { return train::describe_config(""); }},
  };
  for (const auto& method : methods::all_methods()) {
    list.emplace_back(method.name, [name = std::string(method.name)] { return train::describe_config(name); });
  }
  for (const std::string& task : eval::task_names()) {
    list.emplace_back(task, [task] { return eval::describe_task(task); });
  }
  return list;
}

}  // namespace

Json describe_topic(const std::string& topic) {
  std::vector<std::string> known;
  for (const auto& [name, rows] : topics()) {
    if (name == topic) return rows();
    known.push_back(name);
  }
  fail(Status::kArgument, unknown_name("topic", topic, known));
}

Json describe_all() {
  Json all = Json::object();
  for (const auto& [name, rows] : topics()) all[name] = rows();
  return all;
}

}  // namespace contrastive::capi

char* cs_config_describe(const char* topic, cs_error** error) {
  using namespace contrastive::capi;
  return construct(error, [&] { return copy_string(contrastive::dump_ascii(topic == nullptr ? describe_all() : describe_topic(topic))); });
}
