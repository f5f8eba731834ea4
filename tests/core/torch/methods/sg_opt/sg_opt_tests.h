// Keys of SG-OPT for the tiny model.
#pragma once

#include <string>

namespace contrastive::methods {

// The paper's head is 4096 wide, which takes a second for the tiny model. A width of 16 is enough
// except in tests of the head itself.
inline std::string small(const std::string& more = "") {
  return R"({"sgopt.head_width": 16)" + (more.empty() ? "}" : ", " + more + "}");
}

}  // namespace contrastive::methods
