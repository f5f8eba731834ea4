// What is done while calls on files fail: folders and files that are read, and such that are
// written over an old one.
#pragma once

#include <contrastive/contrastive.h>

#include <functional>
#include <string>
#include <vector>

namespace contrastive::faults {

// How a process that did the work ends.
enum Answer : int { kRight, kError, kWrong, kBadError };

struct Scenario {
  std::string name;
  std::function<int(cs_status wanted)>
      work;                 // in a process of its own; `wanted` is what an error must be
  std::string target, old;  // for a scenario that writes: its target, and what stands there before
};

// Writes below `place`, which is empty, what they begin with. Empty: that could not be done.
std::vector<Scenario> make_scenarios(const std::string& fixtures, const std::string& place);

}  // namespace contrastive::faults
