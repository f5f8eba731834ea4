// The device that a benchmark program computes on. device.cpp is it with LibTorch, for any device;
// host_only.cpp without, for the CPU alone.
#pragma once

#include <string>

namespace contrastive::bench {

// Until what was asked of the device is done: a GPU works on while the host goes on.
void synchronize(const std::string& device);

// The most memory of the device that tensors held at once since the last reset, in MB; 0 where
// nobody counts (the CPU, a device that the host plays).
double device_peak_mb(const std::string& device);
// host_only.cpp refuses every device but the CPU here: a benchmark calls it first.
void reset_device_peak(const std::string& device);

}  // namespace contrastive::bench
