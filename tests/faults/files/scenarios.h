// Scenarios in which file calls fail: folders and files are read, or written over old ones.
#pragma once

#include <contrastive/contrastive.h>

#include <functional>
#include <string>
#include <vector>

namespace contrastive::faults {

// Exit codes of the process that does the work.
enum Answer : int { kRight, kError, kWrong, kBadError };

struct Scenario {
  std::string name;
  std::function<int(cs_status wanted)>
      work;                 // runs in a separate process; `wanted` is the expected error
  std::string target, old;  // for a scenario that writes: its target, and what is there before
};

// Writes the initial files of the scenarios below `place`, which must be empty. Returns an empty
// list if that failed.
std::vector<Scenario> make_scenarios(const std::string& fixtures, const std::string& place);

}  // namespace contrastive::faults
