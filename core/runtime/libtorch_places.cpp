#include "core/runtime/libtorch_places.h"

#include <algorithm>
#include <cerrno>

#include "core/base/error.h"
#include "core/base/file.h"
#include "core/system/library.h"

namespace contrastive::runtime {
namespace {

constexpr int64_t kVersionBytes = 1 << 16;

bool holds_libtorch(const std::string& folder) {
  try {
    return is_regular_file(folder + "/" + system::library_file("torch_cpu"));
  } catch (const Error&) {  // we may not look into this folder
    return false;
  }
}

// The folder of the libraries, for a folder that a user named; the folder itself if it does not
// contain them.
std::string library_folder(const std::string& folder) {
  for (const char* inside : {"/lib", "/torch/lib"}) {
    if (holds_libtorch(folder + inside)) return folder + inside;
  }
  return folder;
}

// The folders in `folder` whose names begin with `prefix`, in reverse order of their names:
// python3.12 before python3.11.
std::vector<std::string> folders_in(const std::string& folder, const std::string& prefix) {
  std::vector<std::string> found;
  const auto entries = open_entries(folder);
  try {
    while (const char* name = entries ? next_entry(entries.get(), folder) : nullptr) {
      if (std::string(name).rfind(prefix, 0) == 0) found.push_back(folder + "/" + name);
    }
  } catch (const Error&) {  // a folder that cannot be listed has nothing for us
  }
  std::sort(found.rbegin(), found.rend());
  return found;
}

std::string cache_folder(const SearchContext& context) {
  const std::string own = context.variable("CONTRASTIVE_DEPS"),
                    caches = context.variable("XDG_CACHE_HOME"), home = context.variable("HOME");
  if (!own.empty()) return own;
  if (!caches.empty()) return caches + "/libcontrastive";
  return home.empty() ? "" : home + "/.cache/libcontrastive";
}

}  // namespace

std::vector<LibtorchPlace> libtorch_places(const SearchContext& context) {
  if (!context.named.empty()) return {{library_folder(context.named), "cs_set_libtorch", true}};
  const std::string variable = context.variable("CONTRASTIVE_LIBTORCH");
  if (!variable.empty()) return {{library_folder(variable), "CONTRASTIVE_LIBTORCH", true}};

  std::vector<LibtorchPlace> places;
  const auto add = [&](const std::string& folder, const char* named_by) {
    const auto known = [&](const LibtorchPlace& place) { return place.folder == folder; };
    if (holds_libtorch(folder) && std::none_of(places.begin(), places.end(), known))
      places.push_back({folder, named_by});
  };
  add(context.own, "next to the library");
  add(context.own + "/libtorch/lib", "next to the library");
  if (!context.recorded.empty()) add(context.recorded, "the place that this build names");
  const std::string cache = cache_folder(context);
  if (!cache.empty())
    add(cache + "/libtorch-" + context.version + "/torch/lib",
        "the cache of packaging/bootstrap.sh");
  std::vector<std::string> prefixes;
  for (const char* name : {"VIRTUAL_ENV", "CONDA_PREFIX"}) {
    if (const std::string prefix = context.variable(name); !prefix.empty())
      prefixes.push_back(prefix);
  }
  if (const std::string home = context.variable("HOME"); !home.empty())
    prefixes.push_back(home + "/.local");
  prefixes.insert(prefixes.end(), {"/usr/local", "/usr"});
  for (const std::string& prefix : prefixes) {
    for (const std::string& python : folders_in(prefix + "/lib", "python3")) {
      for (const char* packages : {"/site-packages", "/dist-packages"})
        add(python + packages + "/torch/lib", "Python's torch");
    }
  }
  places.push_back({"", "the loader's own path"});
  return places;
}

std::string libtorch_version(const std::string& folder) {
  // The first is in a Python wheel, the second in a LibTorch archive.
  const std::string wheel = folder + "/../version.py", archive = folder + "/../build-version";
  try {
    if (is_regular_file(wheel)) {
      const std::string text = "\n" + read_file(wheel, kVersionBytes);
      const size_t key = text.find("\n__version__");  // the assignment; __all__ names it before
      const size_t open = text.find_first_of("'\"", key),
                   close = text.find_first_of("'\"", open + 1);
      if (key != std::string::npos && open != std::string::npos && close != std::string::npos)
        return text.substr(open + 1, close - open - 1);
    }
    if (is_regular_file(archive)) {
      const std::string text = read_file(archive, kVersionBytes);
      return text.substr(0, text.find_first_of(" \r\n"));
    }
  } catch (const Error&) {  // the loader will check it
  }
  return "";
}

std::string minor_version(const std::string& version) {
  const size_t minor = version.find('.') + 1;
  return version.substr(0, version.find_first_not_of("0123456789", minor));
}

}  // namespace contrastive::runtime
