// In place of torch_plugin.cpp on systems for which LibTorch has no library that this one can use.
// LibTorch for Windows is built with Microsoft's compiler; a library that Clang builds for MinGW
// cannot be linked with it. There is no LibTorch for musl.
#include "core/runtime/torch_plugin.h"

namespace contrastive::runtime {
namespace {

[[noreturn]] void fail_here(std::string_view for_what) {
  fail(Status::kUnsupported, for_what,
       " needs LibTorch, which this library uses on Linux with glibc (x86-64, arm64) and on macOS "
       "(arm64), and not on " CONTRASTIVE_PLATFORM);
}

}  // namespace

const TorchPlugin& need_torch_plugin(std::string_view for_what) { fail_here(for_what); }

const TorchPlugin* loaded_torch_plugin() noexcept { return nullptr; }

void set_libtorch(const std::string& folder) {
  if (!folder.empty()) fail_here("cs_set_libtorch");
}

}  // namespace contrastive::runtime
