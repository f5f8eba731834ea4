// The library stays loaded after dlclose(): its threads sleep in it, and it destroys thread-local
// objects of the host's threads.
#include <dlfcn.h>

namespace contrastive::system {
namespace {

[[maybe_unused]] const bool stays_loaded = [] {
  static const int inside = 0;
  Dl_info info{};
  return ::dladdr(&inside, &info) != 0 &&
         ::dlopen(info.dli_fname, RTLD_LAZY | RTLD_NOLOAD | RTLD_NODELETE) != nullptr;
}();

}  // namespace
}  // namespace contrastive::system
