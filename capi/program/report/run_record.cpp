#include "capi/program/report/run_record.h"

#include <sys/stat.h>

#include <algorithm>
#include <cerrno>
#include <climits>
#include <cstdlib>
#include <ctime>
#include <filesystem>
#include <map>

#include "capi/program/failure.h"
#include "capi/program/files.h"
#include "capi/program/json_of.h"
#include "capi/program/trainer_loop.h"

namespace contrastive::cli::report {
namespace {

constexpr const char* kMetricsFile = "/metrics.jsonl";
constexpr const char* kRunsFolder = "runs/";       // the folder of an experiment's runs
constexpr const char* kModelFolder = "model";      // the model of one of their steps
constexpr const char* kUnfinished = "unfinished";  // a step is saved here while it runs
constexpr int kDeepest = 5;

bool holds_model(const std::string& path) {
  return exists(path + "/modules.json") || exists(path + "/config.json");
}

std::string last_part(const std::string& path) {
  char real[PATH_MAX];
  std::string whole = realpath(path.c_str(), real) != nullptr ? real : path;
  const size_t slash = whole.rfind('/');
  return slash == std::string::npos || slash + 1 == whole.size() ? whole : whole.substr(slash + 1);
}

int64_t changed_at(const std::string& path) {
  struct stat info{};
  return stat(path.c_str(), &info) == 0 ? info.st_mtime : 0;
}

// "0.05/seed-2/train" -> "0.05/train": the same for all runs of a cell of an experiment.
std::string cell_of(const std::string& name) {
  std::string cell;
  for (size_t begin = 0; begin <= name.size();) {
    const size_t end = std::min(name.find('/', begin), name.size());
    const std::string part = name.substr(begin, end - begin);
    const bool seed = part.size() > 5 && part.compare(0, 5, "seed-") == 0 &&
                      part.find_first_not_of("0123456789", 5) == std::string::npos;
    if (!seed) cell += (cell.empty() ? "" : "/") + part;
    begin = end + 1;
  }
  return cell;
}

std::string letter_of(size_t index) {
  return (index >= 26 ? letter_of(index / 26 - 1) : "") + static_cast<char>('A' + index % 26);
}

Json read_config(const std::string& path) {
  const Json config = json_of(read_text_file(path));
  if (!config.is_object())
    throw Failure(kExitData, "FORMAT",
                  "this is not a JSON object: `contrastive train` writes the config of a run here")
        .at(path);
  return config;
}

// Metrics are next to the model, next to the folder "model" (in an experiment), or where the config
// says. That place comes last, because another run may have used it since.
void find_metrics(RunRecord& run) {
  const auto named = run.config.find("metrics_file");
  const std::string told =
      named != run.config.end() && named->is_string() ? named->get<std::string>() : "";
  const std::string above =
      last_part(run.path) == kModelFolder ? run.path + "/.." + kMetricsFile : "";
  for (const std::string& place : {run.path + kMetricsFile, above, told}) {
    if (place.empty() || !exists(place)) continue;
    run.metrics = read_metrics(place);
    if (run.metrics.empty()) run.no_metrics = "'" + place + "' has no line";
    return;
  }
  run.no_metrics = !told.empty() ? "its metrics should be in '" + told + "', which does not exist"
                                 : "the folder holds no metrics.jsonl";
}

RunRecord read_run(const std::string& path) {
  RunRecord run;
  run.path = path;
  run.name = last_part(path);
  run.has_model = holds_model(path);
  if (exists(path + kConfigFile)) {
    run.config = read_config(path + kConfigFile);
    run.written = utc(changed_at(path + kConfigFile));
    const auto method = run.config.find("method");
    if (method != run.config.end() && method->is_string()) run.method = method->get<std::string>();
  } else {
    run.no_config = run.has_model
                        ? "it is a model folder without run.json, so its training is not known"
                        : "it has no run.json, so its config is not known";
  }
  find_metrics(run);
  if (!run.no_config.empty() && !run.no_metrics.empty()) run.no_metrics = run.no_config;
  return run;
}

// The folders in `path` that may contain runs, in the order of their names. Names with a dot in
// front are left out: an interrupted save leaves such folders.
std::vector<std::string> folders_of(const std::string& path) {
  std::vector<std::string> folders;
  std::error_code error, ignored;  // a broken link is not a folder
  for (std::filesystem::directory_iterator item(path, error), end; !error && item != end;
       item.increment(error)) {
    const std::string name = item->path().filename().string();
    if (item->is_directory(ignored) && name[0] != '.' && name != kUnfinished)
      folders.push_back(item->path().string());
  }
  if (error) throw system_failure("read", path, error.value());
  std::sort(folders.begin(), folders.end());
  return folders;
}

// Folders of runs at `path` and below, as deep as those of an experiment can be.
void collect(const std::string& path, int depth, std::vector<std::string>& found) {
  const std::string model = path + "/" + kModelFolder;
  if (holds_model(path)) {
    found.push_back(path);
  } else if (exists(path + kMetricsFile)) {
    found.push_back(holds_model(model) ? model : path);
  } else if (std::error_code ignored; depth > 0 && std::filesystem::is_directory(path, ignored)) {
    for (const std::string& folder : folders_of(path)) collect(folder, depth - 1, found);
  }
}

// The name of a run that was found below a given folder: the folders between them, without the
// folder that contains all runs of an experiment.
std::string name_below(const std::string& root, const std::string& path) {
  if (path == root) return last_part(path);
  std::string name = path.substr(std::min(path.size(), root.size() + (root.back() == '/' ? 0 : 1)));
  if (name.rfind(kRunsFolder, 0) == 0) name.erase(0, std::string(kRunsFolder).size());
  const std::string tail = std::string("/") + kModelFolder;
  if (name.size() > tail.size() && name.compare(name.size() - tail.size(), tail.size(), tail) == 0)
    name.resize(name.size() - tail.size());
  return name;
}

}  // namespace

std::string plain_value(const Json& value) {
  return value.is_string() ? value.get<std::string>()
                           : value.dump(-1, ' ', false, Json::error_handler_t::replace);
}

std::string utc(int64_t seconds) {
  const std::time_t at = seconds == 0 ? std::time(nullptr) : static_cast<std::time_t>(seconds);
  std::tm parts{};
  gmtime_r(&at, &parts);
  char text[64];
  std::strftime(text, sizeof text, "%Y-%m-%d %H:%M UTC", &parts);
  return text;
}

std::vector<RunRecord> read_runs(const std::vector<std::string>& paths) {
  std::vector<RunRecord> runs;
  std::map<std::string, int> names;
  for (const std::string& path : paths) {
    if (!exists(path)) throw system_failure("read", path, ENOENT);
    std::vector<std::string> found;
    collect(path, kDeepest, found);
    if (found.empty()) {
      throw Failure(kExitFiles, "NOT_FOUND",
                    "'" + path + "' is not a run: it contains no model and no metrics",
                    "a RUN is a folder that `contrastive train` or an experiment wrote");
    }
    for (const std::string& folder : found) {
      runs.push_back(read_run(folder));
      runs.back().letter = letter_of(runs.size() - 1);
      runs.back().name = name_below(path, folder);
      ++names[runs.back().name];
    }
  }
  for (RunRecord& run : runs) {
    if (names[run.name] > 1) run.name = run.path;
    run.cell = cell_of(run.name);
  }
  return runs;
}

}  // namespace contrastive::cli::report
