#include "core/system/library.h"

#include <mach-o/dyld.h>

#include <string_view>

namespace contrastive::system {

std::string library_file(const std::string& name, const std::string& interface) {
  return "lib" + name + (interface.empty() ? "" : "." + interface) + ".dylib";
}

std::string problem_of_library(const std::string&) { return ""; }

LoadedLibrary loaded_library(const char* name) {
  for (uint32_t i = 0; i < ::_dyld_image_count(); ++i) {
    const char* const path = ::_dyld_get_image_name(i);
    const std::string_view whole = path != nullptr ? path : "";
    if (whole.substr(whole.rfind('/') + 1) == name)
      return {std::string(whole), ::_dyld_get_image_header(i)};
  }
  return {};
}

}  // namespace contrastive::system
