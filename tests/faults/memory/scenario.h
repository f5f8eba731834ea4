// A scenario for failing memory: some calls of the C API, and checks of what must still work
// afterwards.
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
  // Runs before memory fails. `folder` is empty and belongs to this process.
  virtual void prepare(const std::string& folder) = 0;
  // Runs while memory fails. Returns CS_OK, or the status of the call that failed.
  virtual cs_status run(cs_error** error) = 0;
  // Runs after memory has failed: uses every object once more, repeats what failed, and frees
  // everything. Its numbers must be the same whether memory failed or not, to the last digits.
  // Throws Broken if a promise was broken.
  virtual std::vector<float> outcome(cs_status status) = 0;
};

std::vector<std::string> scenario_names();
std::unique_ptr<Scenario> make_scenario(const std::string& name);  // nullptr for an unknown name

}  // namespace contrastive::faults
