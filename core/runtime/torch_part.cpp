#include "core/runtime/torch_part.h"

#include <dlfcn.h>
#include <link.h>

#include <atomic>
#include <climits>
#include <cstdlib>
#include <memory>
#include <mutex>
#include <new>

#include "core/base/file.h"
#include "core/runtime/libtorch_places.h"
#include "core/runtime/shared_library.h"
#include "core/runtime/stack.h"

namespace contrastive::runtime {
namespace {

constexpr const char* kPart = "libcontrastive-torch.so.0";
constexpr const char* kHowToInstall = ". Embedding on the CPU needs neither. Install the package of libcontrastive-torch, and LibTorch " CONTRASTIVE_LIBTORCH_VERSION
                                      " where CONTRASTIVE_LIBTORCH names its folder";

TorchPart provided{};
std::atomic<const TorchPart*> loaded{nullptr};

std::mutex& loading() {
  static auto* const mutex = new std::mutex;  // never destroyed: hosts call while they exit
  return *mutex;
}
std::string named_libtorch;  // under loading()

std::string last_problem() {
  const char* problem = ::dlerror();
  return problem != nullptr ? problem : "it cannot be loaded";
}

[[noreturn]] void fail_for(std::string_view for_what, Status status, const std::string& problem) {
  if (problem.find("annot allocate memory") != std::string::npos) throw std::bad_alloc();
  fail(status, for_what, " needs the part of the library that computes with LibTorch: ", problem);
}

// The folder that this very library was loaded from.
std::string own_folder() {
  Dl_info info{};
  if (::dladdr(reinterpret_cast<const void*>(&loaded), &info) == 0 || info.dli_fname == nullptr) return ".";
  const std::unique_ptr<char, decltype(&std::free)> real(::realpath(info.dli_fname, nullptr), &std::free);
  return parent_folder(real != nullptr ? real.get() : info.dli_fname);
}

// An environment that is not the caller's own (a program with more rights than its user) decides nothing.
std::string variable(const char* name) {
  const char* value = ::secure_getenv(name);
  return value != nullptr ? value : "";
}

std::string folder_of(void* library) {
  link_map* map = nullptr;
  return ::dlinfo(library, RTLD_DI_LINKMAP, &map) == 0 && map != nullptr && map->l_name != nullptr ? parent_folder(map->l_name) : "";
}

// LibTorch at one place: "" where it is loaded, else the problem.
std::string open_libtorch(const LibtorchPlace& place) {
  const std::string prefix = place.folder.empty() ? "" : place.folder + "/";
  if (!place.folder.empty()) {
    const std::string version = libtorch_version(place.folder);
    if (!usable_version(version, CONTRASTIVE_LIBTORCH_VERSION)) return "it is LibTorch " + version + ", and " CONTRASTIVE_LIBTORCH_VERSION " is needed";
  }
  for (const char* name : {"libc10.so", "libtorch_cpu.so"}) {
    if (const std::string problem = prefix.empty() ? "" : problem_of_library(prefix + name); !problem.empty()) return problem;
    if (::dlopen((prefix + name).c_str(), RTLD_LAZY | RTLD_LOCAL) != nullptr) continue;
    std::string problem = last_problem();
    if (!prefix.empty() && !has_room_for_library(prefix + name)) throw std::bad_alloc();
    return problem;
  }
  return "";
}

void load_libtorch(std::string_view for_what, const std::string& own) {
  // A host may have its own: the part would be bound to that one, by its name, whatever else is loaded.
  if (void* const theirs = ::dlopen("libtorch_cpu.so", RTLD_LAZY | RTLD_LOCAL | RTLD_NOLOAD)) {
    const std::string folder = folder_of(theirs), version = libtorch_version(folder);
    if (usable_version(version, CONTRASTIVE_LIBTORCH_VERSION)) return;
    fail_for(for_what, Status::kMismatch, cat("this process has loaded LibTorch ", version, " from ", folder, ", and the part was built with "
             CONTRASTIVE_LIBTORCH_VERSION ". A process has one LibTorch"));
  }
  std::string tried;
  bool only_versions = true;
  for (const LibtorchPlace& place : libtorch_places({named_libtorch, own, CONTRASTIVE_RECORDED_LIBTORCH, CONTRASTIVE_LIBTORCH_VERSION, variable})) {
    const std::string problem = open_libtorch(place);
    if (problem.empty()) return;
    const std::string where = place.folder.empty() ? place.named_by : cat(place.folder, " (", place.named_by, ")");
    const bool version = problem.rfind("it is LibTorch ", 0) == 0;
    if (place.binding) {
      fail_for(for_what, version ? Status::kMismatch : Status::kUnsupported, cat(where, " is no LibTorch that can be loaded: ", problem,
               ". Name the folder that holds lib/libtorch_cpu.so and lib/libc10.so, or name none, and it is searched"));
    }
    only_versions = only_versions && (version || place.folder.empty());
    tried += cat(tried.empty() ? "" : "; ", where, ": ", problem);
  }
  fail_for(for_what, only_versions && tried.find("it is LibTorch ") != std::string::npos ? Status::kMismatch : Status::kUnsupported,
           cat("LibTorch was not found. Tried ", tried, kHowToInstall));
}

// The part's file: beside the library, else by its name for the loader. Where the loader does not know it either, LibTorch is not looked for.
std::string find_part(std::string_view for_what, const std::string& own) {
  const std::string beside = cat(own, "/", kPart);
  if (path_exists(beside)) {
    const std::string problem = problem_of_library(beside);
    if (!problem.empty()) fail_for(for_what, Status::kUnsupported, problem + ". Install the package of libcontrastive-torch again");
    return beside;
  }
  if (::dlopen(kPart, RTLD_LAZY | RTLD_LOCAL) == nullptr) {
    const std::string problem = last_problem();
    if (problem.rfind(cat(kPart, ": cannot open shared object file"), 0) == 0) {
      fail_for(for_what, Status::kUnsupported, cat(kPart, " is neither in ", own, " nor on the loader's path", kHowToInstall));
    }
  }
  return kPart;
}

void load_part(std::string_view for_what, const std::string& own, const std::string& file) {
  if (::dlopen(file.c_str(), RTLD_NOW | RTLD_LOCAL) == nullptr) {
    const std::string problem = last_problem();
    if (!has_room_for_library(file)) throw std::bad_alloc();
    // The part asks for symbols by the build that they belong to (capi/parts.map.in).
    if (problem.find("CONTRASTIVE_PARTS_") != std::string::npos) {
      fail_for(for_what, Status::kMismatch, cat(file, " is of another build than ", own,
               "/libcontrastive.so.0. Install both from one package"));
    }
    const bool symbol = problem.find("undefined symbol") != std::string::npos;
    fail_for(for_what, symbol ? Status::kMismatch : Status::kUnsupported,
             cat(problem, symbol ? ". The part was built with LibTorch " CONTRASTIVE_LIBTORCH_VERSION ", and another one is loaded" : ""));
  }
  if (loaded.load(std::memory_order_acquire) == nullptr) {
    fail_for(for_what, Status::kMismatch, cat(file, " belongs to another copy of libcontrastive.so.0 in this process, and not to the one in ",
             own, ". Load one copy only"));
  }
}

}  // namespace

const TorchPart& need_torch_part(std::string_view for_what) {
  if (const TorchPart* part = loaded.load(std::memory_order_acquire)) return *part;
  const std::lock_guard<std::mutex> lock(loading());
  if (const TorchPart* part = loaded.load(std::memory_order_acquire)) return *part;
  need_stack(kStackOfLibTorch);
  const std::string own = own_folder();
  const std::string file = find_part(for_what, own);
  load_libtorch(for_what, own);
  load_part(for_what, own, file);
  return *loaded.load(std::memory_order_acquire);
}

const TorchPart* loaded_torch_part() noexcept { return loaded.load(std::memory_order_acquire); }

void set_libtorch(const std::string& folder) {
  const std::lock_guard<std::mutex> lock(loading());
  if (const TorchPart* part = loaded.load(std::memory_order_acquire)) {
    const auto real = [](const std::string& path) {
      const std::unique_ptr<char, decltype(&std::free)> resolved(::realpath(path.c_str(), nullptr), &std::free);
      return std::string(resolved != nullptr ? resolved.get() : path);
    };
    const bool same = !folder.empty() && real(libtorch_places({folder, "", "", "", variable})[0].folder) == real(part->libtorch_folder());
    check(folder.empty() || same, Status::kState, "LibTorch is loaded from ", part->libtorch_folder(), ": name another folder before the first call that needs it");
  }
  named_libtorch = folder;
}

void provide_torch_part(const TorchPart& part) noexcept {
  provided = part;
  loaded.store(&provided, std::memory_order_release);
}

}  // namespace contrastive::runtime
