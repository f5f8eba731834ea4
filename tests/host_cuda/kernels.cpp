// The functions of NVIDIA's driver that the library calls (core/torch/tensors/device_program.cpp).
// Kernels run on the host, one thread after the other, on the bytes behind the device's addresses.
// They are compiled from the same source as the PTX, which only a GPU can run; the same tests run
// there.
#include <cstdint>
#include <cstdlib>
#include <cstring>

#include "tests/host_cuda/memory.h"

namespace {

thread_local unsigned long long current_thread = 0;

unsigned long long thread_number() { return current_thread; }

#define KERNEL void
#define INLINE static inline
#include "core/torch/nn/device_dropout.cu"

template <class T>
T value_of(const void* argument) {
  T value;
  std::memcpy(&value, argument, sizeof value);
  return value;
}
template <class T>
T* memory_of(const void* argument) {
  return static_cast<T*>(contrastive::host_cuda::on_host(value_of<const void*>(argument)));
}

struct Kernel {
  const char* name;
  void (*run)(void** arguments);
};

const Kernel kKernels[] = {
    {"draw_rows",
     [](void** a) {
       draw_rows(memory_of<Byte>(a[0]), memory_of<Long>(a[1]), value_of<Long>(a[2]),
                 value_of<Long>(a[3]), value_of<Long>(a[4]), value_of<Long>(a[5]),
                 value_of<Word>(a[6]));
     }},
    {"draw_attention",
     [](void** a) {
       draw_attention(memory_of<Byte>(a[0]), memory_of<Long>(a[1]), value_of<Long>(a[2]),
                      value_of<Long>(a[3]), value_of<Long>(a[4]), value_of<Long>(a[5]),
                      value_of<Long>(a[6]), value_of<Word>(a[7]));
     }},
};

constexpr int kSuccess = 0, kInvalidPtx = 218, kNotFound = 500;
int context = 0;

}  // namespace

#define DRIVER extern "C" __attribute__((visibility("default"))) int

DRIVER cuInit(unsigned) { return kSuccess; }
DRIVER cuDeviceGet(int* device, int number) {
  *device = number;
  return kSuccess;
}
DRIVER cuDevicePrimaryCtxRetain(void** retained, int) {
  *retained = &context;
  return kSuccess;
}
DRIVER cuCtxPushCurrent_v2(void*) { return kSuccess; }
DRIVER cuCtxPopCurrent_v2(void** popped) {
  *popped = &context;
  return kSuccess;
}
// A module is its PTX, which must contain the requested kernels. CONTRASTIVE_HOST_CUDA_KERNELS=0
// simulates a device that rejects PTX.
DRIVER cuModuleLoadData(void** module, const void* image) {
  const char* wanted = std::getenv("CONTRASTIVE_HOST_CUDA_KERNELS");
  if ((wanted != nullptr && std::strcmp(wanted, "0") == 0) ||
      std::strstr(static_cast<const char*>(image), ".version") == nullptr)
    return kInvalidPtx;
  *module = const_cast<void*>(image);
  return kSuccess;
}
DRIVER cuModuleGetFunction(void** function, void* module, const char* name) {
  if (std::strstr(static_cast<const char*>(module), name) == nullptr) return kNotFound;
  for (const Kernel& kernel : kKernels) {
    if (std::strcmp(kernel.name, name) != 0) continue;
    *function = const_cast<Kernel*>(&kernel);
    return kSuccess;
  }
  return kNotFound;
}
DRIVER cuLaunchKernel(void* function, unsigned blocks, unsigned, unsigned, unsigned threads,
                      unsigned, unsigned, unsigned, void*, void** arguments, void**) {
  const uint64_t count = uint64_t{blocks} * threads;
  for (current_thread = 0; current_thread < count; ++current_thread)
    static_cast<const Kernel*>(function)->run(arguments);
  return kSuccess;
}
DRIVER cuGetErrorString(int status, const char** text) {
  *text = status == kNotFound     ? "named symbol not found"
          : status == kInvalidPtx ? "a PTX JIT compilation failed"
                                  : "no error";
  return kSuccess;
}
