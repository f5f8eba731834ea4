#include "capi/program/metrics_record.h"

#include <unistd.h>

#include <algorithm>
#include <cmath>

#include "capi/program/failure.h"
#include "capi/program/files.h"
#include "capi/program/handle.h"
#include "capi/program/json_of.h"
#include "capi/program/terminal.h"

namespace contrastive::cli {
namespace {

constexpr const char* kFile = "/metrics.jsonl";
constexpr int64_t kMostLines = 20000;  // without those with a measurement
constexpr size_t kMostBytes = size_t{1} << 30;

std::string beside(std::string folder) {
  while (folder.size() > 1 && folder.back() == '/') folder.pop_back();
  return parent_folder(folder) + "/." + base_name(folder) + ".metrics.jsonl";
}

double number(const Json& metrics, const char* name) {
  const auto found = metrics.find(name);
  return found != metrics.end() && found->is_number() ? found->get<double>() : std::nan("");
}

// Whether a line is of a later update: it was written before the run was killed, and the resumed
// run makes that update again.
bool later(const Json& metrics, double stage, double step) {
  const double its_stage = number(metrics, "stage");
  if (std::isfinite(stage) && std::isfinite(its_stage) && its_stage != stage)
    return its_stage > stage;
  return number(metrics, "step") > step;
}

}  // namespace

MetricsRecord::MetricsRecord(const std::string& resumed, const cs_trainer* trainer) {
  if (resumed.empty()) return;
  // A record next to the folder was left by a killed save. It is at least as new as the one in the
  // folder.
  const std::string file = exists(beside(resumed)) ? beside(resumed) : resumed + kFile;
  if (!exists(file)) return;
  const double stage = cs_trainer_metric(trainer, "stage"),
               step = cs_trainer_metric(trainer, "step");
  const std::string text = read_text_file(file, kMostBytes);
  for (size_t begin = 0; begin < text.size();) {
    const size_t end = std::min(text.find('\n', begin), text.size());
    const std::string line = text.substr(begin, end - begin);
    begin = end + 1;
    const Json metrics = json_of(line);
    if (!metrics.is_object() || later(metrics, stage, step)) continue;
    add(line, number(metrics, "step"), number(metrics, "dev"), number(metrics, "best_step"));
  }
}

void MetricsRecord::add(const cs_trainer* trainer) {
  Outcome outcome;
  const String text(cs_trainer_metrics(trainer, outcome));
  outcome.check();
  add(text.get(), cs_trainer_metric(trainer, "step"), cs_trainer_metric(trainer, "dev"),
      cs_trainer_metric(trainer, "best_step"));
}

void MetricsRecord::add(const std::string& text, double step, double dev, double best_step) {
  const bool measured = std::isfinite(dev) && (dev != last_dev_ || best_step == step);
  const auto whole = std::isfinite(step) ? static_cast<int64_t>(step) : 0;
  last_dev_ = dev;
  if (whole % every_ != 0 && !measured) return;
  lines_.push_back({whole, measured, text});
  if (!measured && ++unmeasured_ > kMostLines) thin();
}

void MetricsRecord::thin() {
  every_ *= 2;
  const auto dropped = [this](const Line& line) {
    return !line.measured && line.step % every_ != 0;
  };
  lines_.erase(std::remove_if(lines_.begin(), lines_.end(), dropped), lines_.end());
  unmeasured_ =
      std::count_if(lines_.begin(), lines_.end(), [](const Line& line) { return !line.measured; });
}

std::string MetricsRecord::text() const {
  std::string text;
  for (const Line& line : lines_) text += line.text + "\n";
  return text;
}

void MetricsRecord::write(const std::string& folder) const {
  write_text_file(folder + kFile, text());
}

void MetricsRecord::write_around(const std::string& folder,
                                 const std::function<void()>& save) const {
  make_folders(parent_folder(beside(folder)));
  write_text_file(beside(folder), text());
  try {
    save();
  } catch (...) {
    unlink(beside(folder).c_str());
    throw;
  }
  move_file(beside(folder), folder + kFile);
}

}  // namespace contrastive::cli
