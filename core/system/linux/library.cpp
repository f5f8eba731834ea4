#include "core/system/library.h"

#include <dlfcn.h>
#include <link.h>

namespace contrastive::system {

LoadedLibrary loaded_library(const char* name) {
  void* const library = ::dlopen(name, RTLD_LAZY | RTLD_LOCAL | RTLD_NOLOAD);
  if (library == nullptr) return {};
  link_map* map = nullptr;
  LoadedLibrary found;
  if (::dlinfo(library, RTLD_DI_LINKMAP, &map) == 0 && map != nullptr) {
    found.path = map->l_name != nullptr ? map->l_name : "";
    // The dynamic section lies in the library wherever the loader has put that.
    found.begin = library_of(map->l_ld).begin;
  }
  ::dlclose(library);
  return found;
}

}  // namespace contrastive::system
