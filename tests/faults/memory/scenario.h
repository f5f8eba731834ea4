// What is done while memory fails: a part of the C API's work, with everything around it that must
// still hold afterwards.
#pragma once

#include <contrastive/contrastive.h>

#include <memory>
#include <stdexcept>
#include <string>
#include <vector>

namespace contrastive::faults {

// A promise that was not kept; the text says which.
struct Broken : std::runtime_error {
  using std::runtime_error::runtime_error;
};

class Scenario {
 public:
  virtual ~Scenario() = default;
  // With all memory there is. `folder` is empty, and this process's alone.
  virtual void prepare(const std::string& folder) = 0;
  // While memory fails. CS_OK, or the status of the call that failed.
  virtual cs_status run(cs_error** error) = 0;
  // With all memory there is again: uses every object once more, makes up for what failed, and
  // frees everything. The numbers that come out of it are the same whether memory failed or not, to
  // the last digits. Throws Broken where that cannot be.
  virtual std::vector<float> outcome(cs_status status) = 0;
};

std::vector<std::string> scenario_names();
std::unique_ptr<Scenario> make_scenario(
    const std::string& name);  // nullptr for a name that is none

}  // namespace contrastive::faults
