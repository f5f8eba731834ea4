#include "core/system/library.h"

#include <dlfcn.h>

namespace contrastive::system {

void* open_library(const char* name, Bind bind) noexcept {
  return ::dlopen(name, (bind == Bind::kNow ? RTLD_NOW : RTLD_LAZY) | RTLD_LOCAL);
}

void close_library(void* library) noexcept { ::dlclose(library); }

std::string library_error() {
  const char* const problem = ::dlerror();
  return problem != nullptr ? problem : "it cannot be loaded";
}

LoadedLibrary library_of(const void* address) {
  Dl_info info{};
  if (::dladdr(address, &info) == 0) return {};
  return {info.dli_fname != nullptr ? info.dli_fname : "", info.dli_fbase};
}

}  // namespace contrastive::system
