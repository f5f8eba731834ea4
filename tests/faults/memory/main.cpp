// test_allocation_faults [--cold] [--most COUNT] [--threads COUNT] [SCENARIO [FROM [TO [STEP]]]]
//
// Fails the Nth allocation of each scenario, and all from the Nth on, for every N or for COUNT
// evenly spaced ones. Prints one line per scenario and kind: how many were tried, and how they
// ended. Exits with 1 if one aborted, hung, broke a promise or returned another error than
// NO_MEMORY. Aborts inside LibTorch that no caller can prevent (trial.h, foreign_place) are counted
// separately.
// --cold: no scenario has run before in the process, so that memory also fails during one-time
// initialisation. Only LibTorch is loaded: its constructors make 650,000 allocations, and end the
// process if one fails (RESULTS.md).
// --threads: with more than one, the Nth allocation of all threads together fails, which is not the
// same one in each run.
#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <map>
#include <stdexcept>

#include "tests/faults/memory/scenario.h"
#include "tests/faults/memory/trial.h"

namespace contrastive::faults {
namespace {

struct Arguments {
  bool cold = false;
  int64_t most = 0;  // 0: all
  int32_t threads = 1;
  std::string scenario;
  int64_t from = 1, to = INT64_MAX, step = 1;
};

Arguments parse(int count, char** words) {
  Arguments arguments;
  int place = 0;
  for (int i = 1; i < count; ++i) {
    if (std::strcmp(words[i], "--cold") == 0) {
      arguments.cold = true;
    } else if (std::strcmp(words[i], "--most") == 0 && i + 1 < count) {
      arguments.most = std::atoll(words[++i]);
    } else if (std::strcmp(words[i], "--threads") == 0 && i + 1 < count) {
      arguments.threads = std::atoi(words[++i]);
    } else if (place == 0) {
      arguments.scenario = words[i];
      ++place;
    } else {
      (place == 1   ? arguments.from
       : place == 2 ? arguments.to
                    : arguments.step) = std::atoll(words[i]);
      ++place;
    }
  }
  if (arguments.from < 1 || arguments.step < 1)
    throw std::invalid_argument("FROM and STEP are at least 1");
  return arguments;
}

// Runs the scenario once in this process for its one-time initialisation.
void warm_up(const std::string& name) {
  const std::string folder = new_folder();
  const auto scenario = make_scenario(name);
  scenario->prepare(folder);
  cs_error* error = nullptr;
  const cs_status status = scenario->run(&error);
  if (status < 0) throw Broken(name + ": " + cs_error_message(error));
  scenario->outcome(status);
  std::filesystem::remove_all(folder);
}

Trial reference(const std::string& name) {
  Trials trials(name, {});
  trials.begin(Fault::kOnlyNth, INT64_MAX);
  Trial trial = trials.wait();
  if (trial.end != End::kOk)
    throw Broken(name + " without a fault: " + trial.text + "\n" + with_names(trial.stack));
  return trial;
}

// The failures of one kind, reported once with their number.
class Findings {
 public:
  void add(const Trial& trial) {
    const std::string key =
        trial.stack.empty() ? trial.text + place_of(trial.failure) : place_of(trial.stack);
    auto [place, is_new] = seen_.try_emplace(key);
    if (is_new) place->second.first = trial;
    ++place->second.count;
  }
  void print(const char* kind) const {
    std::vector<const Finding*> order;
    for (const auto& [key, finding] : seen_) order.push_back(&finding);
    std::stable_sort(order.begin(), order.end(),
                     [](const Finding* a, const Finding* b) { return a->count > b->count; });
    const size_t shown = std::min<size_t>(order.size(), 12);
    for (size_t i = 0; i < shown; ++i) {
      const Trial& first = order[i]->first;
      std::printf("  %s, %lld times, first at %lld: %s\n%s", kind,
                  static_cast<long long>(order[i]->count), static_cast<long long>(first.nth),
                  first.text.c_str(), with_names(first.stack + first.failure).c_str());
    }
    if (order.size() > shown) std::printf("  and %zu others\n", order.size() - shown);
  }

 private:
  struct Finding {
    Trial first;
    int64_t count = 0;
  };
  std::map<std::string, Finding> seen_;
};

// How many aborts in LibTorch are allowed. If all later allocations fail, it destroys an unfinished
// graph in a destructor, at two of five places of an update (RESULTS.md); at seven of ten, if the
// library no longer holds whole graphs (core/torch/run/held_graph.h). If only one allocation fails,
// one trial in a hundred thousand aborts. A few trials say nothing about shares.
int64_t most_in_libtorch(Fault fault, int64_t tried) {
  return fault == Fault::kOnlyNth ? 2 : tried < 20 ? tried : tried / 2;
}

// Whether every trial of one scenario and kind of fault kept its promises.
bool sweep(const Arguments& arguments, const std::string& name, Fault fault) {
  const Trial plain = reference(name);
  const int64_t last = std::min(arguments.to, plain.allocations);
  int64_t step = arguments.step;
  if (arguments.most > 0) step = std::max(step, (last - arguments.from) / arguments.most + 1);
  std::map<End, int64_t> ends;
  std::map<End, Findings> findings;
  int64_t tried = 0;
  Trials trials(name, plain.outcome);
  const auto bring_in = [&] {
    Trial trial = trials.wait();
    if (trial.end == End::kAborted && !foreign_place(trial.stack).empty())
      trial.end = End::kForeign;
    ++tried;
    ++ends[trial.end];
    if (trial.end != End::kOk && trial.end != End::kNoMemory) findings[trial.end].add(trial);
  };
  for (int64_t nth = arguments.from; nth <= last; nth += step) {
    while (!trials.room()) bring_in();
    trials.begin(fault, nth);
  }
  while (trials.any()) bring_in();
  const auto count = [&](End end) { return static_cast<long long>(ends[end]); };
  std::printf("%-14s %-9s %7lld allocations, %6lld tried: %6lld OK, %6lld NO_MEMORY, %5lld aborts, "
              "%5lld in LibTorch, %4lld hangs, %4lld broken, %4lld INTERNAL, %4lld others\n",
              name.c_str(), fault == Fault::kOnlyNth ? "only-Nth" : "from-Nth",
              static_cast<long long>(plain.allocations), static_cast<long long>(tried),
              count(End::kOk), count(End::kNoMemory), count(End::kAborted), count(End::kForeign),
              count(End::kHung), count(End::kBroken), count(End::kInternal), count(End::kOther));
  findings[End::kAborted].print("abort");
  findings[End::kForeign].print("abort in LibTorch");
  findings[End::kHung].print("hang");
  findings[End::kBroken].print("broken");
  findings[End::kInternal].print("INTERNAL");
  findings[End::kOther].print("other");
  const int64_t most = most_in_libtorch(fault, tried);
  if (ends[End::kForeign] > most)
    std::printf("  more aborts in LibTorch than are known of it: %lld at most\n",
                static_cast<long long>(most));
  std::fflush(stdout);
  return tried > 0 && tried == ends[End::kOk] + ends[End::kNoMemory] + ends[End::kForeign] &&
         ends[End::kForeign] <= most;
}

int run(const Arguments& arguments) {
  cs_error* error = nullptr;
  if (cs_set_threads(arguments.threads, &error) != CS_OK) throw Broken(cs_error_message(error));
  if (!arguments.scenario.empty() && make_scenario(arguments.scenario) == nullptr)
    throw std::invalid_argument("no scenario " + arguments.scenario);
  if (arguments.cold) cs_string_free(cs_build_info(nullptr));
  bool kept = true;
  const std::vector<std::string> names =
      arguments.scenario.empty() ? scenario_names() : std::vector<std::string>{arguments.scenario};
  for (const std::string& name : names) {
    if (!arguments.cold) warm_up(name);
    for (const Fault fault : {Fault::kOnlyNth, Fault::kFromNth})
      kept = sweep(arguments, name, fault) && kept;
  }
  return kept ? 0 : 1;
}

}  // namespace
}  // namespace contrastive::faults

int main(int count, char** words) {
  try {
    return contrastive::faults::run(contrastive::faults::parse(count, words));
  } catch (const std::exception& error) {
    std::fprintf(stderr, "test_allocation_faults: %s\n", error.what());
    return 2;
  }
}
