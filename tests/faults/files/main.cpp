// io_faults FIXTURES [EVERY]: makes every EVERYth file call fail, one per run, while models and
// rerankers are loaded and saved, a dataset is read, a run is saved and resumed, a vocabulary is
// trained, and negatives are mined. Faults: EIO, ENOSPC, EDQUOT, an interruption (EINTR), and a
// transfer of only half of the bytes. Interrupted and short calls must not affect the result. Other
// faults must either give an error of the right status that names the path, or do no harm: results
// are right, a folder is the old or the new one, and the next save succeeds and leaves nothing else
// behind. IO_FAULTS_VERBOSE=1 prints each call that failed.
#include <contrastive/contrastive.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <map>
#include <sstream>
#include <string>
#include <vector>

#include "tests/faults/files/scenarios.h"
#include "tests/faults/tracer.h"

namespace {

namespace fs = std::filesystem;
using namespace contrastive::faults;
using Content = std::map<std::string, std::string>;

int failures = 0;
void complain(const std::string& text) {
  std::printf("FAILED: %s\n", text.c_str());
  ++failures;
}

std::string text_of(const fs::path& file) {
  std::ostringstream text;
  text << std::ifstream(file, std::ios::binary).rdbuf();
  return text.str();
}

// The contents of a folder, or of one file.
Content content_of(const std::string& path) {
  Content content;
  if (path.empty() || !fs::exists(path)) return content;
  if (fs::is_regular_file(path)) return {{"", text_of(path)}};
  for (const auto& item : fs::recursive_directory_iterator(path)) {
    if (item.is_regular_file())
      content[item.path().string().substr(path.size())] = text_of(item.path());
  }
  return content;
}

void sweep(const Scenario& scenario, Fault fault, int64_t every) {
  const cs_status wanted =
      fault == Fault::kNoSpace || fault == Fault::kQuota ? CS_ERROR_NO_SPACE : CS_ERROR_IO;
  const std::string parent =
      scenario.target.empty() ? "" : fs::path(scenario.target).parent_path().string();
  const auto reset = [&] {
    if (scenario.target.empty()) return;
    fs::remove_all(parent);
    fs::create_directories(parent);
    if (!scenario.old.empty()) fs::copy(scenario.old, scenario.target, fs::copy_options::recursive);
  };
  const auto run = [&](Fault chosen, int64_t nth) {
    return trace(chosen, nth, [&] { return scenario.work(wanted); });
  };
  reset();
  const Content old = content_of(scenario.target);
  if (run(Fault::kNone, 0).status != 0)
    return complain(scenario.name + ": it fails without a fault");
  const Content now = content_of(scenario.target);
  int64_t faults = 0, errors = 0;
  for (int64_t nth = 1;; nth += every) {
    reset();
    const Traced traced = run(fault, nth);
    if (!traced.reached) break;
    ++faults;
    if (std::getenv("IO_FAULTS_VERBOSE") != nullptr)
      std::fprintf(stderr, "%s: %d\n", traced.at.c_str(), traced.status);
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
    if ((fault == Fault::kInterrupted || fault == Fault::kShort) && answer != kRight)
      complain(at + ": it should have continued");
    if (scenario.target.empty()) continue;
    const bool fails = fault != Fault::kInterrupted && fault != Fault::kShort;
    if (fails && answer == kRight && traced.at.find("sync") != std::string::npos)
      complain(at + ": success, but it may not be on the disk");
    const Content found = content_of(scenario.target);
    if (found != now && found != old)
      complain(at + ": the path holds neither the old folder nor the new one");
    if (answer != kRight && found == now && now != old && fs::is_directory(scenario.target))
      complain(at + ": an error, but the new folder is there");
    if (answer == kRight && found != now)
      complain(at + ": success, but the new folder is not there");
    const Traced next = run(Fault::kNone, 0);
    if (!WIFEXITED(next.status) || WEXITSTATUS(next.status) != 0 ||
        content_of(scenario.target) != now)
      complain(at + ": the next save fails");
    for (const auto& item : fs::directory_iterator(parent)) {
      if (item.path() != scenario.target)
        complain(at + ": " + item.path().filename().string() + " stays");
    }
    if (failures > 40) return;
  }
  std::printf("%s, %s: %lld faults, %lld errors\n", scenario.name.c_str(), name_of(fault),
              static_cast<long long>(faults), static_cast<long long>(errors));
  if (faults == 0) complain(scenario.name + ": no call was found to fail");
}

}  // namespace

int main(int argc, char** argv) {
  if (argc < 2)
    return std::fprintf(stderr, "usage: io_faults FIXTURES [EVERY [SCENARIO [FAULT]]], such as 1 "
                                "'save a run' EINTR\n"),
           2;
  std::setvbuf(stdout, nullptr, _IOLBF, 0);
  const std::string fixtures = fs::canonical(argv[1]).string();
  const int64_t every = argc > 2 ? std::atoll(argv[2]) : 1;
  const std::string only_scenario = argc > 3 ? argv[3] : "", only_fault = argc > 4 ? argv[4] : "";
  std::string place = (fs::temp_directory_path() / "contrastive-io-faults-XXXXXX").string();
  if (::mkdtemp(place.data()) == nullptr) return std::perror("mkdtemp"), 2;
  place = fs::canonical(place).string();
  cs_set_threads(1, nullptr);  // a traced process has one
  const auto begin = std::chrono::steady_clock::now();
  const std::vector<Scenario> scenarios = make_scenarios(fixtures, place);
  if (scenarios.empty()) return 2;
  bool any = false;
  for (const Scenario& scenario : scenarios) {
    if (!only_scenario.empty() && scenario.name != only_scenario) continue;
    const bool save = !scenario.target.empty();
    for (const Fault fault :
         {Fault::kIo, Fault::kNoSpace, Fault::kQuota, Fault::kInterrupted, Fault::kShort}) {
      const bool fills = fault == Fault::kNoSpace || fault == Fault::kQuota;
      if (fills && !save) continue;  // nothing is written
      if (!only_fault.empty() && name_of(fault) != only_fault) continue;
      if (fault == Fault::kQuota && every > 1) continue;
      sweep(scenario, fault, every);
      any = true;
    }
  }
  if (!any) complain("no sweep is called '" + only_scenario + "' '" + only_fault + "'");
  std::printf("%.1f s\n",
              std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count());
  fs::remove_all(place);
  return failures == 0 ? 0 : 1;
}
