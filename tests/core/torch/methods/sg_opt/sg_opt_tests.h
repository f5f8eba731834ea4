// Keys of SG-OPT for the tiny model.
#pragma once

#include <string>

namespace contrastive::methods {

// The paper's head is 4096 wide, which is a second of work for the tiny model; 16 will do but where
// the head itself is looked at.
inline std::string small(const std::string& more = "") {
  return R"({"sgopt.head_width": 16)" + (more.empty() ? "}" : ", " + more + "}");
}

}  // namespace contrastive::methods
