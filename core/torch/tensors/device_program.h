// Kernels of our own for NVIDIA's GPUs: a program in PTX, which the driver of the machine compiles
// for the GPU that is there, so that building the library needs no CUDA. They run on LibTorch's
// streams, beside its own kernels.
#pragma once

#include <c10/core/Device.h>

#include <cstdint>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <type_traits>
#include <vector>

namespace contrastive::tensors {

class DeviceProgram {
 public:
  // `what`: what it is for, as the log says. `ptx` holds the functions named in `kernels` and stays
  // where it is. A program is never unloaded.
  DeviceProgram(std::string what, const char* ptx, std::vector<std::string> kernels);
  DeviceProgram(const DeviceProgram&) = delete;
  DeviceProgram& operator=(const DeviceProgram&) = delete;

  // Whether the kernels run on `device`: not on the CPU, and not where the driver is another
  // maker's or refuses the program, which the log says once. Loads the program at the first call
  // for a device; kNoMemory where there is none for it, and the next call tries again. Any thread.
  bool runs_on(const c10::Device& device);

  // Starts `threads` threads of kernel number `kernel` on LibTorch's current stream of `device`,
  // where the program runs; does not wait for them. `arguments` have the kernel's own types and
  // order. kDevice or kNoMemory where the driver refuses. Any thread.
  template <class... Arguments>
  void start(const c10::Device& device, size_t kernel, int64_t threads,
             const Arguments&... arguments) {
    static_assert(((std::is_trivially_copyable_v<Arguments> &&
                    (sizeof(Arguments) == 8 || std::is_same_v<Arguments, uint32_t>)) &&
                   ...),
                  "a kernel takes pointers, numbers of 64 bits and uint32_t");
    const void* places[] = {&arguments..., nullptr};
    start_with(device, kernel, threads, places);
  }

 private:
  struct Loaded;

  std::shared_ptr<const Loaded> loaded(const c10::Device& device);
  std::shared_ptr<const Loaded> load(const c10::Device& device, std::string& problem) const;
  void start_with(const c10::Device& device, size_t kernel, int64_t threads,
                  const void** arguments);

  const std::string what_;
  const char* const ptx_;
  const std::vector<std::string> kernels_;
  std::mutex mutex_;
  std::map<c10::DeviceIndex, std::shared_ptr<const Loaded>> devices_;
};

}  // namespace contrastive::tensors
