#include "capi/program/trainer_loop.h"

#include <cmath>
#include <utility>
#include <vector>

#include "capi/program/failure.h"
#include "capi/program/files.h"
#include "capi/program/progress.h"
#include "capi/program/signals.h"
#include "capi/program/terminal.h"

namespace contrastive::cli {
namespace {

// The terms of the loss, if it has more than one.
std::vector<std::pair<std::string, double>> loss_terms(const cs_trainer* trainer) {
  std::vector<std::pair<std::string, double>> terms;
  const String text(cs_trainer_metrics(trainer, nullptr));
  if (text == nullptr) return terms;
  const std::string prefix = "loss.";
  const Json metrics = Json::parse(text.get());
  for (const auto& [name, value] : metrics.items()) {
    if (name.rfind(prefix, 0) == 0 && name != "loss.total" && name != "loss.loss" &&
        value.is_number())
      terms.emplace_back(name.substr(prefix.size()), value.get<double>());
  }
  return terms.size() > 1 ? terms : std::vector<std::pair<std::string, double>>();
}

}  // namespace

std::string metrics_line(const cs_trainer* trainer) {
  std::string text;
  const auto add = [&](const std::string& name, double value) {
    if (!std::isfinite(value)) return;
    const int digits = value != 0 && std::fabs(value) < 0.01 ? 7 : 4;
    text += (text.empty() ? "" : "  ") + name + " " + fixed(value, digits);
  };
  add("loss", cs_trainer_metric(trainer, "loss"));
  for (const auto& [name, value] : loss_terms(trainer)) add(name, value);
  for (const char* name : {"lr", "dev", "best_dev"}) add(name, cs_trainer_metric(trainer, name));
  return text;
}

bool train_steps(cs_trainer* trainer, const std::string& verb, const Common& common,
                 const std::function<void(int64_t)>& stepped) {
  Progress progress(verb, "steps", common.progress());
  const auto begun = static_cast<int64_t>(cs_trainer_metric(trainer, "step"));
  int64_t last = begun;
  for (;;) {
    Outcome outcome;
    const cs_status status = cs_train_step(trainer, cancel_flag(), outcome);
    if (status == CS_ERROR_CANCELLED) {
      // If the evaluation was interrupted, the update was still made, and must be recorded.
      const auto made = static_cast<int64_t>(cs_trainer_metric(trainer, "step"));
      if (made > last) stepped(made);
      return false;
    }
    outcome.check();
    if (status == CS_DONE) return true;
    const double step = cs_trainer_metric(trainer, "step"),
                 total = cs_trainer_metric(trainer, "total_steps");
    progress.update(static_cast<int64_t>(step) - begun, total > 0 ? step / total : -1,
                    metrics_line(trainer));
    last = static_cast<int64_t>(step);
    stepped(last);
  }
}

void write_config(const cs_trainer* trainer, const std::string& folder) {
  Outcome outcome;
  const String config(cs_trainer_config(trainer, outcome));
  outcome.check();
  write_text_file(folder + kConfigFile, Json::parse(config.get()).dump(2) + "\n");
}

void save_run(const cs_trainer* trainer, const std::string& folder) {
  Outcome outcome;
  cs_trainer_save(trainer, folder.c_str(), outcome);
  outcome.check();
  write_config(trainer, folder);
}

void save_best_of_run(const cs_trainer* trainer, const std::string& folder) {
  Outcome outcome;
  cs_trainer_save_best(trainer, folder.c_str(), outcome);
  outcome.check();
  write_config(trainer, folder);
}

}  // namespace contrastive::cli
