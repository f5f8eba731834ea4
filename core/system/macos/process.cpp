#include "core/system/process.h"

#include <unistd.h>

#include <cstdlib>

namespace contrastive::system {

std::string trusted_variable(const char* name) {
  const char* const value = ::issetugid() != 0 ? nullptr : std::getenv(name);
  return value != nullptr ? value : "";
}

}  // namespace contrastive::system
