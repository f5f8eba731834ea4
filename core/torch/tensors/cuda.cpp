// The only file that loads the CUDA half of LibTorch.
#include "core/torch/tensors/cuda.h"

#include <ATen/Context.h>
#include <ATen/detail/CUDAHooksInterface.h>
#include <c10/core/DeviceType.h>
#include <dlfcn.h>

#include <cstdlib>
#include <cstring>
#include <vector>

#include "core/base/error.h"
#include "core/base/file.h"
#include "core/host/exit.h"

namespace contrastive::tensors {

namespace {

// The result of trying to load the CUDA half: an empty `problem` means that it is loaded.
struct CudaHalf {
  std::string problem;
};

std::vector<std::string> cuda_library_candidates() {
  std::vector<std::string> paths{libtorch_folder() + "/libtorch_cuda.so"};
  const char* named = ::secure_getenv("CONTRASTIVE_LIBTORCH");
  if (named != nullptr && *named != '\0') {
    for (const char* inside : {"/lib/", "/torch/lib/", "/"})
      paths.push_back(std::string(named) + inside + "libtorch_cuda.so");
  }
  return paths;
}

// For a CUDA half that is loaded: "" or why it cannot be used.
std::string settle() {
  host::watch_exit();
  if (!at::hasCUDA()) {
    return "LibTorch had looked for CUDA before its CUDA half was loaded, which it does once in a "
           "process (at the first backward pass, of this library or "
           "of the host program): load a model on the CUDA device first";
  }
  return "";
}

CudaHalf load_cuda_half() {
  // A host program (or a LibTorch built as one piece) may have loaded it already.
  if (c10::impl::hasDeviceGuardImpl(c10::DeviceType::CUDA)) return {settle()};
  std::string tried;
  for (const std::string& path : cuda_library_candidates()) {
    if (!path_exists(path)) {
      tried += cat("; ", path, ": not there");
      continue;
    }
    // RTLD_GLOBAL: its kernels register with the dispatcher of the libtorch_cpu that is loaded, and
    // its own plug-ins look symbols up globally.
    if (dlopen(path.c_str(), RTLD_NOW | RTLD_GLOBAL) != nullptr) {
      // cuDNN's attention makes a plan for every shape of a batch, and the shapes of texts vary all
      // the time. If the host loaded the CUDA half, its setting is not changed.
      at::globalContext().setSDPUseCuDNN(false);
      return {settle()};
    }
    const char* reason = dlerror();
    tried += cat("; ", path, ": ", reason != nullptr ? reason : "cannot be loaded");
  }
  return {cat("the CUDA half of LibTorch (libtorch_cuda.so) could not be loaded", tried,
              ". Install LibTorch with CUDA and its NVIDIA run-time libraries, and name its folder "
              "in CONTRASTIVE_LIBTORCH, or use device=cpu")};
}

const CudaHalf& cuda_half() {
  static const CudaHalf half = load_cuda_half();
  return half;
}

}  // namespace

void load_cuda_before_backward() {
  const char* visible = std::getenv("CUDA_VISIBLE_DEVICES");
  if (visible != nullptr && (*visible == '\0' || std::strcmp(visible, "-1") == 0)) return;
  static const bool has_driver = dlopen("libcuda.so.1", RTLD_LAZY | RTLD_LOCAL) != nullptr;
  if (has_driver) cuda_half();
}

std::string libtorch_folder() {
  Dl_info info{};
  if (dladdr(reinterpret_cast<const void*>(&at::globalContext), &info) == 0 ||
      info.dli_fname == nullptr)
    return ".";
  const std::string path = info.dli_fname;
  const size_t slash = path.rfind('/');
  return slash == std::string::npos ? "." : path.substr(0, slash);
}

c10::Device to_torch(const runtime::Device& device) {
  return device.cuda ? c10::Device(c10::kCUDA, static_cast<c10::DeviceIndex>(device.index))
                     : c10::Device(c10::kCPU);
}
runtime::Device from_torch(const c10::Device& device) {
  return {device.is_cuda(), device.is_cuda() ? device.index() : 0};
}

int cuda_device_count(std::string* why) {
  std::string reason = cuda_half().problem;
  int count = 0;
  if (reason.empty()) {
    try {
      count = static_cast<int>(at::detail::getCUDAHooks().deviceCount());
      if (count == 0)
        reason = "LibTorch's CUDA half is loaded, but the driver shows no GPU (see nvidia-smi, and "
                 "CUDA_VISIBLE_DEVICES), or is older than "
                 "this LibTorch's CUDA";
    } catch (const c10::Error& error) {
      reason = cat("LibTorch's CUDA half is loaded, but the driver cannot be used: ",
                   error.what_without_backtrace());
    }
  }
  if (why != nullptr) *why = reason;
  return count;
}

void require_device(const runtime::Device& device) {
  if (device.is_cpu()) return;
  std::string why;
  const int count = cuda_device_count(&why);
  check(count > 0, Status::kDevice, "device ", device.str(), " cannot be used: ", why);
  check(device.index < count, Status::kDevice, "device ", device.str(),
        " is not there: this machine has cuda:0 to cuda:", count - 1);
}

}  // namespace contrastive::tensors
