// Loads LibTorch's CUDA half. The library links only the CPU half of LibTorch. The CUDA half is
// loaded when a CUDA device is first requested, so one binary serves machines with and without a
// GPU.
#pragma once

#include <c10/core/Device.h>

#include <string>

#include "core/runtime/device.h"

namespace contrastive::tensors {

// Makes sure that `device` can be used. For CUDA it loads libtorch_cuda.so (from the folder of
// libtorch_cpu.so, then from CONTRASTIVE_LIBTORCH) and checks that the device exists. kDevice says
// what was looked for, where, and what was found. The CPU always exists.
void require_device(const runtime::Device& device);

c10::Device to_torch(const runtime::Device& device);
runtime::Device from_torch(const c10::Device& device);

// Loads the CUDA half if the machine has NVIDIA's driver (and CUDA_VISIBLE_DEVICES hides no
// device). Call it before the first backward pass: that pass determines for the whole process which
// devices LibTorch has, and if the CUDA half is loaded later, its devices are missing.
void load_cuda_before_backward();

// Usable CUDA devices; 0 if LibTorch has no CUDA half or there is no GPU (`why`, if given, then
// says which).
int cuda_device_count(std::string* why = nullptr);

// The folder that libtorch_cpu.so was loaded from.
std::string libtorch_folder();

}  // namespace contrastive::tensors
