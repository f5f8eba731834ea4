// The device that a benchmark program computes on. device.cpp implements this with LibTorch for any
// device; host_only.cpp without LibTorch for the CPU only.
#pragma once

#include <string>

namespace contrastive::bench {

// Waits until the device has finished its work, because a GPU runs asynchronously.
void synchronize(const std::string& device);

// The peak device memory of tensors since the last reset, in MB; 0 if it is not counted (the CPU,
// the simulated CUDA device).
double device_peak_mb(const std::string& device);
// host_only.cpp refuses every device but the CPU here: a benchmark calls it first.
void reset_device_peak(const std::string& device);

}  // namespace contrastive::bench
