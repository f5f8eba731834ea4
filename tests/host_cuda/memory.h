// The device's memory: addresses that the host must not touch, each standing for an address of the
// host at a fixed distance.
#pragma once

#include <c10/core/Allocator.h>
#include <c10/core/Storage.h>

#include <cstddef>

namespace contrastive::host_cuda {

// Device memory, freed with its DataPtr. Reading or writing it through this pointer is a
// segmentation fault, as with a real device's.
c10::DataPtr allocate(size_t bytes);

// What an operation works on: the host's bytes behind `device_pointer`, which came from allocate()
// or points into what did.
void* on_host(const void* device_pointer);

// Gives the host's addresses of new device memory, to an operation of the CPU that makes its result
// larger; adopt() makes it the device's.
c10::Allocator& host_side();
c10::DataPtr adopt(const c10::Storage& from_host_side);

}  // namespace contrastive::host_cuda
