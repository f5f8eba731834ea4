#include "core/system/process.h"

#include <stdlib.h>

namespace contrastive::system {

std::string trusted_variable(const char* name) {
  const char* const value = ::secure_getenv(name);
  return value != nullptr ? value : "";
}

}  // namespace contrastive::system
