// The folder of the tests' fixtures: CONTRASTIVE_FIXTURES of the environment, for a program that runs elsewhere than it was built, else as it was built.
#pragma once

#include <cstdlib>
#include <string>

namespace contrastive {

inline std::string fixtures() {
  const char* folder = std::getenv("CONTRASTIVE_FIXTURES");
  return folder != nullptr && *folder != '\0' ? folder : CONTRASTIVE_FIXTURES;
}

}  // namespace contrastive
