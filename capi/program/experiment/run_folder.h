// The folder of one run: run.json (what it is), result.json (what came out, so far), and a folder
// for each step of its training:
//
//   STEP/run.json         the config in force
//   STEP/metrics.jsonl    the course of the updates (metrics_record.h), as of the last save
//   STEP/unfinished/state the run as it was saved last, while the step goes on
//   STEP/model            the model that the step leaves, with the config in force as run.json
//   STEP/metrics.json     the last metrics: written when the step is over
#pragma once

#include <optional>
#include <string>

#include "capi/program/experiment/plan.h"

namespace contrastive::cli {

// What is known of a run: "status" is "new", "begun", "finished" or "failed".
struct Result {
  std::string status = "new", code, message;  // code and message of what failed
  Json reports = Json::array();               // [{"task", "config", "report"}]
  Json metrics;                               // of the last step of the training, or null

  Json to_json() const;
  void forget(const Json& evaluation);
  const Json* report(
      const Json& evaluation) const;  // of {"task", "config"}; nullptr where it was not made yet
};

constexpr const char* kStepMetrics = "/metrics.json";

class RunFolder {
 public:
  RunFolder(const std::string& output, const Run& run)
      : path_(output + "/" + run.folder), run_(run) {}

  const std::string& path() const { return path_; }
  std::string step_path(const Json& step) const {
    return path_ + "/" + step["name"].get<std::string>();
  }
  std::string model_path(const Json& step) const { return step_path(step) + "/model"; }
  bool step_is_over(const Json& step) const;
  Json metrics_of(const Json& step) const;  // of one that is over

  // Makes the folder and its run.json, or holds the run.json that is there to the run: kExitUsage
  // naming the first key that differs.
  void open() const;
  // The same comparison without writing: true where the folder holds this very training, or nothing
  // yet.
  bool agrees(std::string& difference) const;
  // Without reports that lack a figure which they would have by now: their data set was not there
  // yet.
  Result result() const;
  void write(const Result& result) const;
  // A failed run as if it had only begun: what failed is removed, trained steps and measured
  // figures are kept.
  void forget_failure() const;
  void remove_models() const;

 private:
  std::string path_;
  const Run& run_;
};

}  // namespace contrastive::cli
