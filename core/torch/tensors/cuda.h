// LibTorch's CUDA half. The library links only the CPU half of LibTorch; the CUDA half is loaded
// when a CUDA device is first asked for, so that one binary serves machines with and without a GPU.
#pragma once

#include <c10/core/Device.h>

#include <string>

#include "core/runtime/device.h"

namespace contrastive::tensors {

// Makes sure that `device` can be used: for CUDA, loads libtorch_cuda.so (from beside
// libtorch_cpu.so, then from CONTRASTIVE_LIBTORCH) and looks whether the device is there. kDevice
// says what was looked for, where, and what was found. The CPU is always there.
void require_device(const runtime::Device& device);

c10::Device to_torch(const runtime::Device& device);
runtime::Device from_torch(const c10::Device& device);

// Loads the CUDA half where the machine has NVIDIA's driver (and CUDA_VISIBLE_DEVICES hides no
// device): to be called before the first backward pass. That pass settles for the whole process
// which devices LibTorch has, and a CUDA half that comes later would show none.
void load_cuda_before_backward();

// Usable CUDA devices; 0 where LibTorch has no CUDA half or there is no GPU (then `why`, when
// given, says which).
int cuda_device_count(std::string* why = nullptr);

// The folder that libtorch_cpu.so was loaded from.
std::string libtorch_folder();

}  // namespace contrastive::tensors
