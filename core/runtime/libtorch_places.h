// Where LibTorch may lie on this machine, and which version lies there.
#pragma once

#include <string>
#include <vector>

namespace contrastive::runtime {

struct LibtorchPlace {
  std::string
      folder;  // that holds libc10.so and libtorch_cpu.so; "" stands for the loader's own path
  std::string named_by;  // who says so, for messages
  bool binding = false;  // the user named it: another one in its stead would be a surprise
};

// What the search looks at beside the file system, so that a test can say it.
struct SearchContext {
  std::string named;     // by cs_set_libtorch; "" = not
  std::string own;       // the folder of libcontrastive.so
  std::string recorded;  // by the build or the package; "" = none
  std::string version;   // of the LibTorch that the library was built with, "2.11.0"
  std::string (*variable)(const char* name) =
      nullptr;  // of the environment; "" where it is not set
};

// In this order: the folder that was named (cs_set_libtorch, then CONTRASTIVE_LIBTORCH), and no
// other then; beside the library; where the build or the package recorded it; the cache of
// packaging/bootstrap.sh of this user; an installed Python torch; the loader's own path. A folder
// may be named by what holds lib/ or torch/lib/. Places where no libtorch_cpu.so lies are left out,
// but for the one that is named and the loader's.
std::vector<LibtorchPlace> libtorch_places(const SearchContext& context);

// As the files beside it say: "2.11.0+cpu"; "" where they say nothing.
std::string libtorch_version(const std::string& folder);
// Whether a library that was built with `built` can use `found`: the same major and minor version,
// or an unknown one, which the loader will judge.
bool usable_version(const std::string& found, const std::string& built);

}  // namespace contrastive::runtime
