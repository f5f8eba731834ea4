// cs_version and cs_build_info: versions, processor, devices, and where the library is.
#include <cstdlib>

#include "capi/src/guard.h"
#include "capi/src/handles.h"
#include "core/base/json.h"
#include "core/cpu/kernels.h"
#include "core/runtime/threads.h"
#include "core/runtime/torch_plugin.h"
#include "core/system/library.h"

using namespace contrastive;
using namespace contrastive::capi;

#define TEXT_OF(x) #x
#define TEXT(x) TEXT_OF(x)

namespace {

constexpr const char* kVersion =
    TEXT(CS_VERSION_MAJOR) "." TEXT(CS_VERSION_MINOR) "." TEXT(CS_VERSION_PATCH);

// The path of the library that contains this function.
std::string own_path() {
  return system::library_of(reinterpret_cast<const void*>(&cs_version)).path;
}

Json build_info() {
  Json info = {{"version", kVersion},
               {"abi", CS_ABI_VERSION},
               {"compiler", __VERSION__},
               {"library_path", own_path()},
               {"cpu", cpu::kernels().encode->name},
               {"threads", runtime::threads()},
               {"libtorch", ""},
               {"libtorch_path", ""},
               {"libtorch_reason", ""}};
  std::string why;
  int devices = 0;
  try {
    const runtime::TorchPlugin& plugin = runtime::need_torch_plugin("training");
    info["libtorch"] = plugin.libtorch_version;
    info["libtorch_path"] = plugin.libtorch_folder();
    devices = plugin.cuda_devices(&why);
  } catch (const Error& error) {
    info["libtorch_reason"] = why = error.message();
  }
  info["cuda"] = {{"devices", devices}, {"reason", why}};
  return info;
}

}  // namespace

const char* cs_version(void) { return kVersion; }

int32_t cs_abi_version(void) { return CS_ABI_VERSION; }

char* cs_build_info(cs_error** error) {
  return construct(error, [] { return copy_string(dump_ascii(build_info())); });
}

int64_t cs_live_handles(void) { return count_handles(); }

cs_status cs_set_threads(int32_t threads, cs_error** error) {
  return guard(error, [&] { runtime::set_threads(threads); });
}

cs_status cs_set_libtorch(const char* folder, cs_error** error) {
  return guard(error, [&] { runtime::set_libtorch(folder == nullptr ? "" : folder); });
}

void cs_string_free(char* text) { std::free(text); }
