// Our own kernels for NVIDIA GPUs: a program in PTX, which the machine's driver compiles for its
// GPU, so building the library needs no CUDA. The kernels run on LibTorch's streams, alongside its
// own kernels.
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
  // `what`: its purpose, for the log. `ptx` defines the functions named in `kernels`; it must
  // outlive the program. A program is never unloaded.
  DeviceProgram(std::string what, const char* ptx, std::vector<std::string> kernels);
  DeviceProgram(const DeviceProgram&) = delete;
  DeviceProgram& operator=(const DeviceProgram&) = delete;

  // Whether the kernels run on `device`: not on the CPU, and not if the driver is from another
  // maker or refuses the program, which the log says once. The first call for a device loads the
  // program. kNoMemory if there is no memory for it; the next call then tries again. Any thread may
  // call this.
  bool runs_on(const c10::Device& device);

  // Starts `threads` threads of kernel number `kernel` on LibTorch's current stream of `device`, on
  // which the program must run. Does not wait for them. `arguments` have the kernel's own types and
  // order. kDevice or kNoMemory if the driver refuses. Any thread may call this.
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
