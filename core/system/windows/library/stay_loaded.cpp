// The library stays loaded after FreeLibrary(): its threads sleep in it, and it destroys
// thread-local objects of the host's threads.
#include "core/system/windows/native.h"

namespace contrastive::system {
namespace {

[[maybe_unused]] const bool stays_loaded = [] {
  static const int inside = 0;
  HMODULE library = nullptr;
  return ::GetModuleHandleExW(GET_MODULE_HANDLE_EX_FLAG_FROM_ADDRESS |
                                  GET_MODULE_HANDLE_EX_FLAG_PIN,
                              reinterpret_cast<const wchar_t*>(&inside), &library) != 0;
}();

}  // namespace
}  // namespace contrastive::system
