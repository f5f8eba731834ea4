#include "core/runtime/torch_plugin.h"

#include <atomic>
#include <map>
#include <mutex>
#include <new>
#include <string_view>

#include "core/base/file.h"
#include "core/host/exit.h"
#include "core/runtime/libtorch_places.h"
#include "core/runtime/need_stack.h"
#include "core/system/library.h"
#include "core/system/mapping.h"
#include "core/system/process.h"

namespace contrastive::runtime {
namespace {

// CMakeLists.txt defines CONTRASTIVE_*; CONTRASTIVE_ABI is CS_ABI_VERSION of contrastive.h.
std::string library_name() { return system::library_file("contrastive", CONTRASTIVE_ABI); }
// The training plugin for the LibTorch that libcontrastive was built with, and for another version:
// "2.10".
std::string plugin_name(const std::string& version = "") {
  return system::library_file(version.empty() ? "contrastive-torch"
                                              : cat("contrastive-torch-", version),
                              CONTRASTIVE_ABI);
}
std::string libtorch_name() { return system::library_file("torch_cpu"); }
std::string c10_name() { return system::library_file("c10"); }
constexpr const char* kHowToInstall =
    ". BERT and most other encoders embed on the CPU without them. Install libcontrastive-torch "
    "(Debian: libcontrastive-torch" CONTRASTIVE_ABI
    ", Maven: the classifier " CONTRASTIVE_MAVEN_PLATFORM
    "-torch, NuGet: Contrastive.Torch), and LibTorch " CONTRASTIVE_LIBTORCH_VERSION
    " where CONTRASTIVE_LIBTORCH names its folder";

constexpr size_t kBeginnings = size_t{64} << 20;  // LibTorch's constructors take 45 MB

std::atomic<const TorchPlugin*> provided{nullptr};  // set by the plugin's static constructor
std::atomic<const TorchPlugin*> loaded{nullptr};    // available to callers
std::atomic<bool> is_loading{false};

// Never destroyed: hosts call the library while they exit.
struct Loading {
  std::mutex mutex;  // held while the plugin is loaded
  std::mutex naming;
  std::string named;  // by set_libtorch; guarded by `naming`
};
Loading& loading() {
  static auto* const state = new Loading;
  return *state;
}

std::string named_libtorch() {
  const std::lock_guard<std::mutex> lock(loading().naming);
  return loading().named;
}

[[noreturn]] void fail_for(std::string_view for_what, Status status, const std::string& problem) {
  // The loader reserves a fixed amount of thread-local memory when the process starts. This error
  // means that it ran out.
  const bool tls = problem.find("static TLS") != std::string::npos;
  if (!tls && problem.find("annot allocate memory") != std::string::npos) throw std::bad_alloc();
  if (tls) {
    fail(Status::kUnsupported, for_what, " needs LibTorch: ", problem,
         ". Start the process with GLIBC_TUNABLES=glibc.rtld.optional_static_tls=16384, or with "
         "LibTorch in LD_PRELOAD");
  }
  fail(status, for_what, " needs the training plugin (libcontrastive-torch): ", problem);
}

using system::Bind;
using system::problem_of_library;

// The files of the training plugin in the library's folder, by the version of LibTorch that each
// was built with: "2.11".
using Plugins = std::map<std::string, std::string>;

Plugins plugins_in(const std::string& own) {
  Plugins plugins;
  const auto entries = open_entries(own);
  while (const char* entry = entries ? next_entry(entries.get(), own) : nullptr) {
    const std::string name = entry;
    const size_t at = name.find("contrastive-torch-");
    if (at == std::string::npos) continue;
    const std::string version = minor_version(name.substr(at + 18));
    if (name == plugin_name(version)) plugins[version] = cat(own, "/", name);
  }
  if (const std::string file = cat(own, "/", plugin_name()); path_exists(file))
    plugins[minor_version(CONTRASTIVE_LIBTORCH_VERSION)] = file;
  return plugins;
}

// "2.10, 2.11".
std::string versions_of(const Plugins& plugins) {
  std::string list;
  for (const auto& [version, file] : plugins) list += cat(list.empty() ? "" : ", ", version);
  return list;
}

// Whether there is a plugin for this version. An unknown one, "", is allowed: LibTorch is asked
// when it is loaded.
bool usable_version(const std::string& version, const Plugins& plugins) {
  return version.empty() || plugins.count(minor_version(version)) != 0;
}

// The version that a loaded LibTorch states; "" if it does not. LibTorch has no C function for it,
// so this calls std::string at::show_config().
std::string stated_version() {
#ifdef _LIBCPP_VERSION
  constexpr const char* kShowConfig = "_ZN2at11show_configEv";
#else
  constexpr const char* kShowConfig = "_ZN2at11show_configB5cxx11Ev";
#endif
  const std::string name = system::loaded_library(libtorch_name().c_str()).path;
  void* const function = name.empty() ? nullptr : system::find_symbol(name.c_str(), kShowConfig);
  if (function == nullptr) return "";
  std::string config;
  try {
    config = reinterpret_cast<std::string (*)()>(function)();
  } catch (...) {  // it also asks a half of LibTorch that may not be loaded, CUDA's
    return "";
  }
  constexpr std::string_view kKey = "TORCH_VERSION=";
  const size_t at = config.find(kKey);
  if (at == std::string::npos) return "";
  const size_t begin = at + kKey.size();
  return config.substr(begin, config.find_first_not_of("0123456789.", begin) - begin);
}

// Whether the process has address space for the file and for `more` bytes that its constructors
// allocate. Without room for the file, the loader's error message looks as if the file could not be
// mapped at all. Without room for the constructors, C++ ends the process.
bool has_room_for_library(const std::string& path, size_t more = 0) {
  try {
    const size_t size =
        static_cast<size_t>(file_size(open_file(path, FileUse::kRead), path)) + more;
    return system::has_address_space(size);
  } catch (const Error&) {  // a file that cannot be read is another problem than missing room
  }
  return true;
}

// Follows links, if that is possible.
std::string real_path(const std::string& path) {
  const std::string real = system::real_path(path);
  return real.empty() ? path : real;
}

// The folder that this library was loaded from.
std::string own_folder() {
  const std::string path = system::library_of(&loaded).path;
  return path.empty() ? "." : parent_folder(real_path(path));
}

// The folder that a library of this name was loaded from; "" if none is loaded.
std::string folder_of_loaded(const std::string& name) {
  const std::string path = system::loaded_library(name.c_str()).path;
  return path.empty() ? "" : parent_folder(path);
}

// The loader binds the plugin to libcontrastive by name. If the process has two copies, it binds to
// the one that was loaded first.
void need_first_copy(std::string_view for_what, const std::string& own) {
  const system::LoadedLibrary first = system::loaded_library(library_name().c_str());
  const bool another = first.begin != nullptr && first.begin != system::library_of(&loaded).begin;
  if (another) {
    fail_for(for_what, Status::kMismatch,
             cat("this process has loaded two copies of ", library_name(), ", the first from ",
                 first.path, ", and the training plugin belongs to that one. The copy in ", own,
                 " only embeds. Load one copy only"));
  }
}

// Loads LibTorch from one place. Returns "" or the problem.
std::string open_libtorch(const LibtorchPlace& place, const Plugins& plugins) {
  const bool by_name = place.folder.empty();
  const std::string prefix = by_name ? "" : place.folder + "/";
  const std::string files[] = {c10_name(), libtorch_name()};
  if (!by_name) {
    const std::string version = libtorch_version(place.folder);
    if (!usable_version(version, plugins))
      return cat("it is LibTorch ", version, ", and ", versions_of(plugins), " is needed");
    for (const std::string& file : files) {
      if (std::string problem = problem_of_library(prefix + file); !problem.empty()) return problem;
    }
    // libtorch_cpu.so would bind to a libc10.so that the host or a failed attempt loaded.
    const std::string other = folder_of_loaded(files[0]);
    if (!other.empty() && real_path(other) != real_path(place.folder))
      return cat("this process has loaded ", files[0], " from ", other);
  }
  void* first = nullptr;
  for (const std::string& file : files) {
    if (!by_name && !has_room_for_library(prefix + file, kBeginnings)) {
      if (first != nullptr) system::close_library(first);
      throw std::bad_alloc();
    }
    void* const library = system::open_library((prefix + file).c_str(), Bind::kLazily);
    if (library == nullptr) {
      std::string problem = system::library_error();
      if (first != nullptr) system::close_library(first);
      return problem;
    }
    if (first == nullptr) first = library;
  }
  return "";
}

[[noreturn]] void fail_for_version(std::string_view for_what, const std::string& version,
                                   const std::string& folder, const Plugins& plugins) {
  fail_for(for_what, Status::kMismatch,
           cat("this process has loaded LibTorch ", version, " from ", folder,
               ", and this installation has the training plugin for ", versions_of(plugins),
               ". A process has one LibTorch"));
}

void load_libtorch(std::string_view for_what, const std::string& own, const Plugins& plugins) {
  // The plugin would bind to a LibTorch that the host loaded, whatever else is loaded.
  if (const std::string folder = folder_of_loaded(libtorch_name()); !folder.empty()) {
    const std::string version = libtorch_version(folder);
    if (usable_version(version, plugins)) return;
    fail_for_version(for_what, version, folder, plugins);
  }
  std::string tried;
  bool only_versions = true;
  for (const LibtorchPlace& place :
       libtorch_places({named_libtorch(), own, CONTRASTIVE_RECORDED_LIBTORCH,
                        CONTRASTIVE_LIBTORCH_VERSION, system::trusted_variable})) {
    const std::string problem = open_libtorch(place, plugins);
    if (problem.empty()) return;
    const std::string where =
        place.folder.empty() ? place.named_by : cat(place.folder, " (", place.named_by, ")");
    const bool version = problem.rfind("it is LibTorch ", 0) == 0;
    if (place.binding) {
      fail_for(for_what, version ? Status::kMismatch : Status::kUnsupported,
               cat(where, " is not a LibTorch that can be loaded: ", problem,
                   ". Name the folder that contains lib/", libtorch_name(), " and lib/", c10_name(),
                   ", or name none to have it searched for"));
    }
    only_versions = only_versions && (version || place.folder.empty());
    tried += cat(tried.empty() ? "" : "; ", where, ": ", problem);
  }
  fail_for(for_what,
           only_versions && tried.find("it is LibTorch ") != std::string::npos
               ? Status::kMismatch
               : Status::kUnsupported,
           cat("LibTorch was not found. Tried ", tried, kHowToInstall));
}

// The plugins in the library's folder, otherwise the one that the loader finds by its name. If the
// loader does not find it either, do not search for LibTorch.
Plugins find_plugins(std::string_view for_what, const std::string& own) {
  Plugins plugins = plugins_in(own);
  for (const auto& [version, file] : plugins) {
    const std::string problem = problem_of_library(file);
    if (!problem.empty())
      fail_for(for_what, Status::kUnsupported, problem + ". Install libcontrastive-torch again");
  }
  if (!plugins.empty()) return plugins;
  plugins[minor_version(CONTRASTIVE_LIBTORCH_VERSION)] = plugin_name();
  // The loader would load the LibTorch that it finds. If the user named one, load that one first.
  if (!named_libtorch().empty() || !system::trusted_variable("CONTRASTIVE_LIBTORCH").empty())
    load_libtorch(for_what, own, plugins);
  if (system::open_library(plugin_name().c_str(), Bind::kNow) == nullptr) {
    const std::string problem = system::library_error();
    if (problem.rfind(cat(plugin_name(), ": cannot open shared object file"), 0) == 0) {
      fail_for(for_what, Status::kUnsupported,
               cat(plugin_name(), " is neither in ", own, " nor on the loader's path",
                   kHowToInstall));
    }
  }
  return plugins;
}

// The plugin for the LibTorch that was loaded. One that states no version gets the newest plugin,
// and the loader checks the symbols.
std::string plugin_for_loaded(std::string_view for_what, const Plugins& plugins) {
  const std::string folder = folder_of_loaded(libtorch_name());
  std::string version = libtorch_version(folder);
  if (version.empty()) version = stated_version();
  if (!usable_version(version, plugins)) fail_for_version(for_what, version, folder, plugins);
  if (!version.empty()) return plugins.at(minor_version(version));
  const auto own = plugins.find(minor_version(CONTRASTIVE_LIBTORCH_VERSION));
  return own != plugins.end() ? own->second : plugins.rbegin()->second;
}

void load_plugin(std::string_view for_what, const std::string& own, const std::string& file) {
  if (system::open_library(file.c_str(), Bind::kNow) == nullptr) {
    const std::string problem = system::library_error();
    if (!has_room_for_library(file)) throw std::bad_alloc();
    // The symbols that the plugin needs carry the digest of their build (capi/parts.map.in).
    if (problem.find("CONTRASTIVE_PARTS_") != std::string::npos) {
      fail_for(for_what, Status::kMismatch,
               cat(file, " is of another build than ", own, "/", library_name(),
                   ". Install both from one package"));
    }
    if (problem.find("undefined symbol") != std::string::npos) {
      fail_for(for_what, Status::kMismatch,
               cat(problem, ". The LibTorch in ", folder_of_loaded(libtorch_name()),
                   " is another one than the one that ", base_name(file),
                   " was built with: set CONTRASTIVE_LIBTORCH to the folder of "
                   "LibTorch " CONTRASTIVE_LIBTORCH_VERSION));
    }
    fail_for(for_what, Status::kUnsupported, problem);
  }
  if (provided.load() == nullptr) {
    fail_for(for_what, Status::kMismatch,
             cat(file, " belongs to another copy of ", library_name(),
                 " in this process, and not to the one in ", own, ". Load one copy only"));
  }
}

void publish(const TorchPlugin* plugin) noexcept {
  host::watch_exit();
  loaded.store(plugin, std::memory_order_release);
}

}  // namespace

const TorchPlugin& need_torch_plugin(std::string_view for_what) {
  if (const TorchPlugin* plugin = loaded_torch_plugin()) return *plugin;
  const std::lock_guard<std::mutex> lock(loading().mutex);
  if (const TorchPlugin* plugin = loaded_torch_plugin()) return *plugin;
  need_stack(kStackOfLibTorch);
  const std::string own = own_folder();
  need_first_copy(for_what, own);
  is_loading.store(true);
  try {
    const Plugins plugins = find_plugins(for_what, own);
    load_libtorch(for_what, own, plugins);
    load_plugin(for_what, own, plugin_for_loaded(for_what, plugins));
  } catch (...) {
    is_loading.store(false);
    throw;
  }
  // All constructors of the plugin have run: other threads may use it.
  publish(provided.load());
  is_loading.store(false);
  return *provided.load();
}

const TorchPlugin* loaded_torch_plugin() noexcept { return loaded.load(std::memory_order_acquire); }

void set_libtorch(const std::string& folder) {
  const std::string present = folder_of_loaded(libtorch_name());
  if (!folder.empty() && !present.empty()) {
    const std::string wanted =
        real_path(libtorch_places({folder, "", "", "", system::trusted_variable})[0].folder);
    check(wanted == real_path(present), Status::kState, "LibTorch is loaded from ", present,
          ": name another folder before the first call that needs it");
  }
  const std::lock_guard<std::mutex> lock(loading().naming);
  loading().named = folder;
}

void provide_torch_plugin(const TorchPlugin& plugin) noexcept {
  const TorchPlugin* none = nullptr;
  if (!provided.compare_exchange_strong(none, &plugin)) return;
  if (!is_loading.load()) publish(&plugin);  // otherwise need_torch_plugin publishes it
}

}  // namespace contrastive::runtime
