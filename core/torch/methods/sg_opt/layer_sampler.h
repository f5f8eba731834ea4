// Draws which layer of the frozen encoder guides a sentence (SG-OPT, Kim et al., 2021, section
// 3.1): sigma, uniform or weighted by layer.
#pragma once

#include <cstdint>
#include <vector>

namespace contrastive::methods {

class LayerSampler {
 public:
  // Layers 0 to `layers` - 1. `weights`: one for each layer, in any unit; empty = all alike.
  LayerSampler(int64_t layers, const std::vector<double>& weights, uint64_t seed);

  // A function of the seed, the epoch (or update), the example, and which of the example's texts it
  // is.
  int64_t draw(uint64_t epoch, uint64_t example, int64_t column) const;

 private:
  std::vector<double> upto_;  // [layers] cumulative share of each layer; the last is 1
  uint64_t seed_;
};

}  // namespace contrastive::methods
