// Where to search for LibTorch on this machine, and which version is in a folder.
#pragma once

#include <string>
#include <vector>

namespace contrastive::runtime {

struct LibtorchPlace {
  std::string
      folder;  // contains libc10.so and libtorch_cpu.so; "" means the loader's own search path
  std::string named_by;  // what named the folder, for messages
  bool binding = false;  // the user named it, so another LibTorch must not replace it
};

// The inputs of the search besides the file system, so that a test can set them.
struct SearchContext {
  std::string named;     // by cs_set_libtorch; "" if not called
  std::string own;       // the folder of libcontrastive.so
  std::string recorded;  // by the build or the package; "" if none
  std::string version;   // of the LibTorch that the library was built with: "2.11.0"
  std::string (*variable)(const char* name) =
      nullptr;  // reads an environment variable; "" if it is not set
};

// The places to search, in this order. If the user named a folder (cs_set_libtorch, otherwise
// CONTRASTIVE_LIBTORCH), only that one. Otherwise: next to the library; where the build or the
// package recorded it; the cache of packaging/bootstrap.sh of this user; an installed Python torch;
// the loader's own path. A named folder may also be the parent of lib/ or torch/lib/. Places
// without libtorch_cpu.so are omitted, except the named folder and the loader's path.
std::vector<LibtorchPlace> libtorch_places(const SearchContext& context);

// The version according to the files next to the folder: "2.11.0+cpu"; "" if they do not contain
// it.
std::string libtorch_version(const std::string& folder);
// Major and minor version: "2.11" of "2.11.0+cpu". LibTorch's binary interface is fixed within one.
std::string minor_version(const std::string& version);

}  // namespace contrastive::runtime
