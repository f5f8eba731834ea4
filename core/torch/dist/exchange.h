// Tensors of every rank, brought together on all of them.
#pragma once

#include <ATen/core/Tensor.h>

#include <string>
#include <vector>

#include "core/torch/dist/world.h"

namespace contrastive::dist {

// What one rank brings: any tensors, and what they are in words.
struct Parcel {
  std::string label;
  std::vector<at::Tensor> tensors;  // without a graph; on any device
};

// The parcels of all ranks in their order. A tensor that its rank had on the CPU is on the CPU,
// every other one on `device`. Their numbers, types and shapes may differ from rank to rank.
std::vector<Parcel> gather_parcels(World& world, const Parcel& own, const at::Device& device,
                                   const std::string& doing);

}  // namespace contrastive::dist
