// io_faults FIXTURES [EVERY]: lets every EVERYth call on a file fail, one run after the other, while a model is loaded, a dataset read, a model or a run
// saved, a run resumed: with EIO, ENOSPC, EDQUOT; interrupted (EINTR); with half of its bytes. What is interrupted or short succeeds all the same. What
// fails is an error of the right status that names the path, or does no harm: an answer that is given is the right one, a folder is the old or the new
// one, and the next save succeeds and leaves nothing else behind.
#include <contrastive/contrastive.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <functional>
#include <map>
#include <set>
#include <sstream>
#include <string>
#include <vector>

#include "tests/faults/tracer.h"

namespace {

namespace fs = std::filesystem;
using contrastive::faults::Fault;
using contrastive::faults::Traced;
using Content = std::map<std::string, std::string>;

enum Answer : int { kRight, kError, kWrong, kBadError };

int failures = 0;
void complain(const std::string& text) {
  std::printf("FAILED: %s\n", text.c_str());
  ++failures;
}

Content content_of(const std::string& folder) {
  Content content;
  if (folder.empty() || !fs::exists(folder)) return content;
  for (const auto& item : fs::recursive_directory_iterator(folder)) {
    if (!item.is_regular_file()) continue;
    std::ostringstream text;
    text << std::ifstream(item.path(), std::ios::binary).rdbuf();
    content[item.path().string().substr(folder.size())] = text.str();
  }
  return content;
}

// An error is of the system's kind and names a file; its text goes to the parent on stderr where it is wrong.
int judge(cs_error* error, cs_status wanted, const std::string& place) {
  if (error == nullptr) return std::fprintf(stderr, "  no error was set\n"), kBadError;
  const cs_status status = cs_error_status(error);
  const bool right = status == wanted || status == CS_ERROR_IO || status == CS_ERROR_NOT_FOUND,
             names = std::strstr(cs_error_message(error), place.c_str()) != nullptr;
  if (right && names) return kError;
  return std::fprintf(stderr, "  %s: %s\n", cs_status_name(status), cs_error_message(error)), kBadError;
}

struct Scenario {
  std::string name;
  std::function<int(cs_status wanted)> work;
  std::string target, old;  // of a save: where, and what is there before ("" for nothing)
};

void sweep(const Scenario& scenario, Fault fault, int64_t every) {
  const cs_status wanted = fault == Fault::kNoSpace || fault == Fault::kQuota ? CS_ERROR_NO_SPACE : CS_ERROR_IO;
  const std::string parent = scenario.target.empty() ? "" : fs::path(scenario.target).parent_path().string();
  const auto reset = [&] {
    if (scenario.target.empty()) return;
    fs::remove_all(parent);
    fs::create_directories(parent);
    if (!scenario.old.empty()) fs::copy(scenario.old, scenario.target, fs::copy_options::recursive);
  };
  const auto run = [&](Fault chosen, int64_t nth) { return contrastive::faults::trace(chosen, nth, [&] { return scenario.work(wanted); }); };
  reset();
  const Content old = content_of(scenario.target);
  if (run(Fault::kNone, 0).status != 0) return complain(scenario.name + ": it fails without a fault");
  const Content now = content_of(scenario.target);
  int64_t faults = 0, errors = 0;
  for (int64_t nth = 1;; nth += every) {
    reset();
    const Traced traced = run(fault, nth);
    if (!traced.reached) break;
    ++faults;
    const std::string at = scenario.name + ", " + name_of(fault) + " at " + traced.at;
    if (!WIFEXITED(traced.status)) {
      complain(at + ": signal " + std::to_string(WTERMSIG(traced.status)));
      continue;
    }
    const int answer = WEXITSTATUS(traced.status);
    errors += answer == kError;
    if (answer == kWrong) complain(at + ": a wrong answer");
    if (answer == kBadError) complain(at + ": the error does not say what happened");
    if (answer > kBadError) complain(at + ": exit " + std::to_string(answer));
    if ((fault == Fault::kInterrupted || fault == Fault::kShort) && answer != kRight) complain(at + ": it should have gone on");
    if (scenario.target.empty()) continue;
    const bool fails = fault != Fault::kInterrupted && fault != Fault::kShort;
    if (fails && answer == kRight && traced.at.find("sync") != std::string::npos)
      complain(at + ": success, and nobody knows whether it is on the disk");
    const Content found = content_of(scenario.target);
    if (found != now && found != old) complain(at + ": the path holds neither the old folder nor the new one");
    if (answer == kRight && found != now) complain(at + ": success, and the folder is not the new one");
    const Traced next = run(Fault::kNone, 0);
    if (!WIFEXITED(next.status) || WEXITSTATUS(next.status) != 0 || content_of(scenario.target) != now) complain(at + ": the next save fails");
    for (const auto& item : fs::directory_iterator(parent)) {
      if (item.path() != scenario.target) complain(at + ": " + item.path().filename().string() + " stays");
    }
    if (failures > 40) return;
  }
  std::printf("%s, %s: %lld faults, %lld errors\n", scenario.name.c_str(), name_of(fault), static_cast<long long>(faults),
              static_cast<long long>(errors));
  if (faults == 0) complain(scenario.name + ": no call was found to fail");
}

const char* const kTexts[] = {"the cat sat on the mat.", "a dog", "two birds"};
const char* const kPairs[] = {"the cat", "a cat", "a dog", "the dog"};
constexpr int kDimension = 32;

cs_trainer* trainer_of(cs_model* model, int updates) {
  cs_config* const config = cs_config_parse("{\"method\": \"mnrl\", \"max_steps\": 9}", nullptr);
  cs_trainer* const trainer = cs_trainer_new(model, nullptr, config, nullptr);
  for (int i = 0; i < updates; ++i) {
    if (cs_train_batch(trainer, kPairs, nullptr, 2, 2, nullptr, nullptr, nullptr) != CS_OK) std::exit(2);
  }
  cs_config_free(config);
  return trainer;
}

std::vector<float> embed(const cs_model* model) {
  std::vector<float> out(3 * kDimension);
  if (cs_encode(model, kTexts, nullptr, 3, nullptr, out.data(), static_cast<int64_t>(out.size()), nullptr) != CS_OK) out.clear();
  return out;
}

}  // namespace

int main(int argc, char** argv) {
  if (argc < 2) return std::fprintf(stderr, "usage: io_faults FIXTURES [EVERY [SCENARIO [FAULT]]], such as 1 'save a run' EINTR\n"), 2;
  std::setvbuf(stdout, nullptr, _IOLBF, 0);
  const std::string models = fs::canonical(std::string(argv[1]) + "/models").string();
  const int64_t every = argc > 2 ? std::atoll(argv[2]) : 1;
  const std::string only_scenario = argc > 3 ? argv[3] : "", only_fault = argc > 4 ? argv[4] : "";
  std::string place = (fs::temp_directory_path() / "contrastive-io-faults-XXXXXX").string();
  if (::mkdtemp(place.data()) == nullptr) return std::perror("mkdtemp"), 2;
  place = fs::canonical(place).string();
  cs_set_threads(1, nullptr);  // a traced process has one
  const auto begin = std::chrono::steady_clock::now();
  cs_model* const first = cs_model_load((models + "/bert_st").c_str(), nullptr, nullptr);
  cs_model* const second = cs_model_load((models + "/bert_st_old").c_str(), nullptr, nullptr);
  if (first == nullptr || second == nullptr) return 2;
  std::map<std::string, std::vector<float>> expected;
  for (const char* name : {"bert_st", "bert_st_old"}) expected[name] = embed(name == std::string("bert_st") ? first : second);
  const std::string old_model = place + "/old-model", old_run = place + "/old-run", pairs = place + "/pairs.tsv";
  {
    std::ofstream file(pairs);
    for (int i = 0; i < 50; ++i) file << "the cat " << i << "\ta cat " << i << "\n";
  }
  cs_trainer* const trainer = trainer_of(first, 2);
  cs_trainer* const before = trainer_of(first, 1);
  if (cs_model_save(first, old_model.c_str(), nullptr) != CS_OK || cs_trainer_save(before, old_run.c_str(), nullptr) != CS_OK) return 2;

  std::vector<Scenario> scenarios;
  for (const char* name : {"bert_st", "bert_st_old"}) {
    const std::string path = models + "/" + name;
    const std::vector<float> vectors = expected[name];
    scenarios.push_back({std::string("load ") + name,
                         [path, vectors](cs_status wanted) {
                           cs_error* error = nullptr;
                           const cs_model* const model = cs_model_load(path.c_str(), nullptr, &error);
                           if (model == nullptr) return judge(error, wanted, path);
                           return embed(model) == vectors ? static_cast<int>(kRight) : static_cast<int>(kWrong);
                         },
                         "", ""});
  }
  scenarios.push_back({"dataset",
                       [pairs](cs_status wanted) {
                         cs_error* error = nullptr;
                         const cs_dataset* const data = cs_dataset_open(pairs.c_str(), nullptr, &error);
                         if (data == nullptr) return judge(error, wanted, pairs);
                         return cs_dataset_size(data) == 50 ? static_cast<int>(kRight) : static_cast<int>(kWrong);
                       },
                       "", ""});
  scenarios.push_back({"resume",
                       [&](cs_status wanted) {
                         cs_error* error = nullptr;
                         const cs_trainer* const resumed = cs_trainer_resume(old_run.c_str(), first, nullptr, nullptr, &error);
                         if (resumed == nullptr) return judge(error, wanted, old_run);
                         return cs_trainer_metric(resumed, "step") == 1 ? static_cast<int>(kRight) : static_cast<int>(kWrong);
                       },
                       "", ""});
  const std::string model_target = place + "/a/model", run_target = place + "/b/run";
  scenarios.push_back({"save a model",
                       [&](cs_status wanted) {
                         cs_error* error = nullptr;
                         return cs_model_save(second, model_target.c_str(), &error) == CS_OK ? static_cast<int>(kRight)
                                                                                             : judge(error, wanted, place + "/a");
                       },
                       model_target, old_model});
  scenarios.push_back({"save a run",
                       [&](cs_status wanted) {
                         cs_error* error = nullptr;
                         return cs_trainer_save(trainer, run_target.c_str(), &error) == CS_OK ? static_cast<int>(kRight)
                                                                                              : judge(error, wanted, place + "/b");
                       },
                       run_target, old_run});
  bool any = false;
  for (const Scenario& scenario : scenarios) {
    if (!only_scenario.empty() && scenario.name != only_scenario) continue;
    const bool save = !scenario.target.empty();
    for (const Fault fault : {Fault::kIo, Fault::kNoSpace, Fault::kQuota, Fault::kInterrupted, Fault::kShort}) {
      const bool fills = fault == Fault::kNoSpace || fault == Fault::kQuota;
      if (fills && !save) continue;  // nothing is written
      if (!only_fault.empty() && name_of(fault) != only_fault) continue;
      if (fault == Fault::kQuota && every > 1) continue;
      sweep(scenario, fault, every);
      any = true;
    }
  }
  if (!any) complain("no sweep is called '" + only_scenario + "' '" + only_fault + "'");
  std::printf("%.1f s\n", std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count());
  fs::remove_all(place);
  return failures == 0 ? 0 : 1;
}
