#include "core/torch/tasks/glue/glue_definition.h"

#include <algorithm>

#include "core/base/error.h"
#include "core/base/nearest.h"

namespace contrastive::eval {
namespace {

constexpr int kLast = GlueColumns::kLast, kNone = GlueColumns::kNone;

}  // namespace

const std::vector<GlueDefinition>& glue_definitions() {
  using Names = std::vector<std::string>;
  static const Names kBinary = {"0", "1"}, kEntailment = {"not_entailment", "entailment"},
                     kThreeWay = {"contradiction", "neutral", "entailment"}, kWhole = {""};
  static const std::vector<GlueDefinition> kAll = {
      {"MNLI",
       {"MNLI"},
       kThreeWay,
       {"_matched", "_mismatched"},
       GlueMetric::kAccuracy,
       {kLast, 8, 9, 11}},
      {"QNLI", {"QNLI"}, kEntailment, kWhole, GlueMetric::kAccuracy, {kLast, 1, 2, 4}},
      {"QQP", {"QQP"}, kBinary, kWhole, GlueMetric::kAccuracyAndF1, {5, 3, 4, 6, true, true}},
      {"RTE", {"RTE"}, kEntailment, kWhole, GlueMetric::kAccuracy, {kLast, 1, 2, 4}},
      {"SST-2", {"SST-2", "SST2"}, kBinary, kWhole, GlueMetric::kAccuracy, {1, 0, kNone, 2}},
      {"MRPC", {"MRPC"}, kBinary, kWhole, GlueMetric::kAccuracyAndF1, {0, 3, 4, 5}},
      {"CoLA", {"CoLA"}, kBinary, kWhole, GlueMetric::kMatthews, {1, 3, kNone, 4, false}},
      {"STS-B", {"STS-B", "STSB"}, {}, kWhole, GlueMetric::kCorrelations, {kLast, 7, 8, 10}},
      {"WNLI", {"WNLI"}, kBinary, kWhole, GlueMetric::kAccuracy, {kLast, 1, 2, 4}, false},
  };
  return kAll;
}

std::vector<std::string> glue_task_names() {
  std::vector<std::string> names;
  for (const GlueDefinition& definition : glue_definitions()) names.push_back(definition.name);
  return names;
}

const GlueDefinition& find_glue_definition(const std::string& name) {
  const auto& all = glue_definitions();
  const auto found = std::find_if(all.begin(), all.end(), [&](const GlueDefinition& definition) {
    return definition.name == name;
  });
  check(found != all.end(), Status::kArgument,
        "config key 'tasks': ", unknown_name("GLUE task", name, glue_task_names()));
  return *found;
}

}  // namespace contrastive::eval
