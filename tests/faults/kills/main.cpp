// kills FIXTURES [EVERY]: ends a save with kill -9 at every EVERYth of its system calls, one after
// the other. Afterwards the path must contain the complete old folder or the complete new one,
// which must load, and the next save must succeed and leave nothing else behind. First it checks
// from the order of the calls that a save survives a power loss: every file and folder is durable
// before it gets its name, and the name before the save returns.
#include <contrastive/contrastive.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
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
using contrastive::faults::Call;
using contrastive::faults::Fault;
using contrastive::faults::Traced;
using Content = std::map<std::string, std::string>;  // of a folder: its files, by their paths in it

int failures = 0;
void complain(const std::string& text) {
  std::printf("FAILED: %s\n", text.c_str());
  ++failures;
}

Content content_of(const std::string& folder) {
  Content content;
  if (!fs::exists(folder)) return content;
  for (const auto& item : fs::recursive_directory_iterator(folder)) {
    if (!item.is_regular_file()) continue;
    std::ostringstream text;
    text << std::ifstream(item.path(), std::ios::binary).rdbuf();
    content[item.path().string().substr(folder.size())] = text.str();
  }
  return content;
}

std::set<std::string> names_in(const std::string& folder) {
  std::set<std::string> names;
  for (const auto& item : fs::directory_iterator(folder))
    names.insert(item.path().filename().string());
  return names;
}

int in_a_process(const std::function<int()>& work) {
  std::fflush(nullptr);
  const pid_t child = ::fork();
  if (child == 0) ::_exit(work());
  int status = 0;
  while (::waitpid(child, &status, 0) < 0) {
  }
  return WIFEXITED(status) ? WEXITSTATUS(status) : 128;
}

// A save, and the path it saves to.
struct Scenario {
  std::string name;
  std::function<int(const std::string& path)> save;
  std::string old;  // a folder that is there before; "" for none
};

bool lies_in(const std::string& path, const std::string& folder) {
  return path.rfind(folder + "/", 0) == 0;
}

// Tracks what a power loss would lose: what was written or renamed and is not durable yet.
void check_durability(const std::string& name, const std::vector<Call>& log,
                      const std::string& target) {
  std::set<std::string> dirty,
      renamed;  // files with data, and folders with names, that may not be on the disk yet
  const std::string parent = fs::path(target).parent_path().string();
  int64_t syncs = 0;
  for (const Call& call : log) {
    if (!lies_in(call.path, parent) && call.path != parent) continue;
    if (call.name == "write" || call.name == "pwrite" || call.name == "ftruncate")
      dirty.insert(call.path);
    if ((call.name == "openat" || call.name == "open") && call.writes)
      dirty.insert(fs::path(call.path).parent_path().string());
    if (call.name == "mkdir") dirty.insert(fs::path(call.path).parent_path().string());
    if (call.name == "fsync" || call.name == "fdatasync") dirty.erase(call.path), ++syncs;
    if (call.name != "rename" && call.name != "renameat2") continue;
    for (const std::string& path : dirty) {
      // The lock only marks the saving process; it need not be durable.
      const bool lock = path.size() > 5 && path.substr(path.size() - 5) == ".lock";
      if (call.other == target && !lock && (path == call.path || lies_in(path, call.path)))
        complain(name + ": " + path + " has its name before it is durable");
    }
    dirty.insert(fs::path(call.other).parent_path().string());
  }
  if (dirty.count(parent) > 0)
    complain(name + ": the save returned before its name in " + parent + " was durable");
  if (syncs == 0) complain(name + ": nothing was made durable");
}

void sweep(const Scenario& scenario, const std::string& place, int64_t every) {
  const std::string parent = place + "/" + scenario.name, path = parent + "/model";
  fs::create_directories(parent);
  const auto reset = [&] {
    fs::remove_all(path);
    if (!scenario.old.empty()) fs::copy(scenario.old, path, fs::copy_options::recursive);
  };
  reset();
  const Content old = content_of(path);
  const Traced whole =
      contrastive::faults::trace(Fault::kNone, 0, [&] { return scenario.save(path); });
  if (!WIFEXITED(whole.status) || WEXITSTATUS(whole.status) != 0)
    return complain(scenario.name + ": it cannot save");
  const Content now = content_of(path);
  if (now.size() < 5 || now == old) return complain(scenario.name + ": the save changed nothing");
  check_durability(scenario.name, whole.log, path);
  int64_t kills = 0, were_old = 0, calls = 0;
  for (int64_t nth = 1;; nth += every) {
    reset();
    const Traced killed =
        contrastive::faults::trace(Fault::kKill, nth, [&] { return scenario.save(path); });
    calls = std::max(calls, killed.calls);
    if (!killed.reached) break;
    ++kills;
    const std::string at =
        scenario.name + ", killed at call " + std::to_string(nth) + ", " + killed.at;
    const Content found = content_of(path);
    were_old += found == old;
    if (found != old && found != now)
      complain(at + ": the path holds neither the old folder nor the new one");
    if (in_a_process([&] { return scenario.save(path); }) != 0)
      complain(at + ": the next save fails");
    if (content_of(path) != now) complain(at + ": the next save is not what it was");
    if (names_in(parent) != std::set<std::string>{"model"}) {
      for (const std::string& left : names_in(parent)) {
        if (left != "model") complain(at + ": the next save leaves " + left);
      }
      for (const std::string& left : names_in(parent)) {
        if (left != "model") fs::remove_all(parent + "/" + left);
      }
    }
    if (failures > 20) return;
  }
  std::printf("%s: %lld kills within %lld system calls: %lld times the old folder, %lld times the "
              "new one\n",
              scenario.name.c_str(), static_cast<long long>(kills), static_cast<long long>(calls),
              static_cast<long long>(were_old), static_cast<long long>(kills - were_old));
  if (kills > 0 && (were_old == 0 || were_old == kills) && every == 1)
    complain(scenario.name + ": all kills were before the save, or all after it");
}

const char* const kPairs[] = {"the cat", "a cat", "a dog", "the dog"};

cs_trainer* trainer_of(const cs_model* model, int updates) {
  cs_config* const config = cs_config_parse("{\"method\": \"mnrl\", \"max_steps\": 9}", nullptr);
  cs_trainer* const trainer =
      cs_trainer_new(const_cast<cs_model*>(model), nullptr, config, nullptr);
  for (int i = 0; i < updates; ++i) {
    if (cs_train_batch(trainer, kPairs, nullptr, 2, 2, nullptr, nullptr, nullptr) != CS_OK)
      std::exit(2);
  }
  cs_config_free(config);
  return trainer;
}

int say(cs_error* error) {
  if (error == nullptr) return 0;
  std::fprintf(stderr, "%s\n", cs_error_message(error));
  return 1;
}

}  // namespace

int main(int argc, char** argv) {
  if (argc < 2) return std::fprintf(stderr, "usage: kills FIXTURES [EVERY]\n"), 2;
  std::setvbuf(stdout, nullptr, _IOLBF, 0);
  const std::string models = std::string(argv[1]) + "/models";
  const int64_t every = argc > 2 ? std::atoll(argv[2]) : 1;
  std::string place = (fs::temp_directory_path() / "contrastive-kills-XXXXXX").string();
  if (::mkdtemp(place.data()) == nullptr) return std::perror("mkdtemp"), 2;
  place = fs::canonical(place).string();
  cs_set_threads(1, nullptr);  // a traced process has one
  const auto begin = std::chrono::steady_clock::now();
  cs_error* error = nullptr;
  cs_model* const first = cs_model_load((models + "/bert_st").c_str(), nullptr, &error);
  cs_model* const second = cs_model_load((models + "/bert_st_old").c_str(), nullptr, &error);
  if (first == nullptr || second == nullptr) return say(error), 2;
  const auto save_second = [second](const std::string& path) {
    cs_error* problem = nullptr;
    cs_model_save(second, path.c_str(), &problem);
    return say(problem);
  };
  // The run is trained in the process that saves it, because its threads do not survive a fork.
  const std::string old_model = place + "/old-model", old_run = place + "/old-run";
  const auto save_run = [&](int updates, const std::string& path) {
    cs_error* problem = nullptr;
    cs_trainer* const trainer = trainer_of(first, updates);
    cs_trainer_save(trainer, path.c_str(), &problem);
    return say(problem);
  };
  if (in_a_process(
          [&] { return cs_model_save(first, old_model.c_str(), nullptr) == CS_OK ? 0 : 1; }) != 0)
    return 2;
  if (in_a_process([&] { return save_run(1, old_run); }) != 0) return 2;
  sweep({"model", save_second, old_model}, place, every);
  sweep({"first-model", save_second, ""}, place, every);
  cs_trainer* const trainer = trainer_of(first, 2);
  sweep({"run",
         [trainer](const std::string& path) {
           cs_error* problem = nullptr;
           cs_trainer_save(trainer, path.c_str(), &problem);
           return say(problem);
         },
         old_run},
        place, every);
  std::printf("%.1f s\n",
              std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count());
  fs::remove_all(place);
  return failures == 0 ? 0 : 1;
}
