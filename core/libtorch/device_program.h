// Kernels of our own for NVIDIA's GPUs: a program in PTX, which the driver of the machine compiles for the GPU that is there, so that building the library
// needs no CUDA. They run on LibTorch's streams, beside its own kernels.
#pragma once

#include <c10/core/Device.h>

#include <cstdint>
#include <map>
#include <mutex>
#include <string>

namespace contrastive::libtorch {

class DeviceProgram {
 public:
  // `ptx` stays where it is. A program lives as long as the process.
  DeviceProgram(std::string name, const char* ptx) : name_(std::move(name)), ptx_(ptx) {}
  DeviceProgram(const DeviceProgram&) = delete;
  DeviceProgram& operator=(const DeviceProgram&) = delete;

  // Whether the kernels run on `device`: not on the CPU, and not where the driver is another maker's or refuses the program, which the log says once.
  bool runs_on(const c10::Device& device);

  // Starts `threads` threads of `kernel` on LibTorch's current stream of `device`, where the program runs; does not wait for them. `arguments` have the
  // kernel's own types and order. kDevice where the driver refuses.
  template <class... Arguments>
  void start(const c10::Device& device, const char* kernel, int64_t threads, const Arguments&... arguments) {
    const void* places[] = {&arguments..., nullptr};
    start_with(device, kernel, threads, places);
  }

 private:
  struct Loaded;

  const Loaded& loaded(const c10::Device& device);
  void start_with(const c10::Device& device, const char* kernel, int64_t threads, const void** arguments);

  const std::string name_;
  const char* const ptx_;
  std::mutex mutex_;
  std::map<c10::DeviceIndex, const Loaded*> devices_;
};

}  // namespace contrastive::libtorch
