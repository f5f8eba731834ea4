#include "tests/bench/device.h"

#include <ATen/detail/CUDAHooksInterface.h>
#include <c10/core/CachingDeviceAllocator.h>
#include <c10/core/impl/DeviceGuardImplInterface.h>

#include "core/runtime/device.h"

namespace contrastive::bench {
namespace {

// nullptr before the first use of the device, and if its allocator keeps no statistics.
c10::DeviceAllocator* counting_allocator(const runtime::Device& device) {
  if (device.is_cpu() || !c10::impl::hasDeviceGuardImpl(c10::kCUDA)) return nullptr;
  return dynamic_cast<c10::DeviceAllocator*>(c10::GetAllocator(c10::kCUDA));
}

}  // namespace

void synchronize(const std::string& name) {
  const runtime::Device device = runtime::parse_device(name);
  if (!device.is_cpu())
    at::detail::getCUDAHooks().deviceSynchronize(static_cast<c10::DeviceIndex>(device.index));
}

double device_peak_mb(const std::string& name) {
  const runtime::Device device = runtime::parse_device(name);
  c10::DeviceAllocator* allocator = counting_allocator(device);
  if (allocator == nullptr) return 0;
  const auto stats = allocator->getDeviceStats(static_cast<c10::DeviceIndex>(device.index));
  const auto& of_all_pools =
      stats.allocated_bytes[static_cast<size_t>(c10::CachingAllocator::StatType::AGGREGATE)];
  return static_cast<double>(of_all_pools.peak) / 1048576;
}

void reset_device_peak(const std::string& name) {
  const runtime::Device device = runtime::parse_device(name);
  c10::DeviceAllocator* allocator = counting_allocator(device);
  if (allocator != nullptr) allocator->resetPeakStats(static_cast<c10::DeviceIndex>(device.index));
}

}  // namespace contrastive::bench
