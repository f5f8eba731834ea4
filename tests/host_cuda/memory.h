// The memory of the simulated CUDA device: addresses that the host must not access. Each
// corresponds to a host address at a fixed offset.
#pragma once

#include <c10/core/Allocator.h>
#include <c10/core/Storage.h>

#include <cstddef>

namespace contrastive::host_cuda {

// Device memory, freed with its DataPtr. Reading or writing it through this pointer is a
// segmentation fault, as with a real device's.
c10::DataPtr allocate(size_t bytes);

// The host memory behind `device_pointer`, which points into memory from allocate().
void* on_host(const void* device_pointer);

// Allocates new device memory by its host addresses, for a CPU operation that resizes its result.
// adopt() turns it into device memory.
c10::Allocator& host_side();
c10::DataPtr adopt(const c10::Storage& from_host_side);

}  // namespace contrastive::host_cuda
