// Gathers the tensors of every rank on all ranks.
#pragma once

#include <ATen/core/Tensor.h>

#include <string>
#include <vector>

#include "core/torch/dist/world.h"

namespace contrastive::dist {

// What one rank contributes: any tensors, and a description in words.
struct Parcel {
  std::string label;
  std::vector<at::Tensor> tensors;  // without a graph; on any device
};

// Returns the parcels of all ranks in order. A tensor that its rank had on the CPU is on the CPU,
// every other one on `device`. Numbers, types and shapes of tensors may differ between ranks.
std::vector<Parcel> gather_parcels(World& world, const Parcel& own, const at::Device& device,
                                   const std::string& doing);

}  // namespace contrastive::dist
