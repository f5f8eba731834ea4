// The low-rank adapters that a method trains in addition to an encoder's weights: initial values,
// parameters for the optimiser, and merging into the weights.
#pragma once

#include <ATen/core/Tensor.h>

#include <cstdint>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "core/io/adapter.h"
#include "core/torch/tensors/tensors.h"
#include "core/torch/methods/lora_options.h"
#include "core/torch/nn/trainable_encoder.h"
#include "core/torch/optim/parameter.h"

namespace contrastive::methods {

class LoraAdapters {
 public:
  LoraAdapters() = default;  // none
  // A from U(-1 / sqrt(in), 1 / sqrt(in)), a function of the seed; B = 0, so at first the adapters
  // change nothing. They are created on the encoder's device and attached to its weights. `prefix`:
  // the method's.
  LoraAdapters(const LoraOptions& options, const std::string& prefix, nn::TrainableEncoder& encoder,
               uint64_t seed);

  bool empty() const { return items_.empty(); }
  // Named as in peft, without its prefix:
  // "encoder.layer.0.attention.self.query.lora_A.weight".
  std::vector<optim::Parameter> parameters() const;
  std::vector<std::string> weights()
      const;  // the matrices that they adapt, by their names in core/encoder/weights.h
  // Adds scale B A to the weights of `encoder`. `given`, by the names of parameters(), replaces the
  // current adapters.
  void merge_into(const nn::TrainableEncoder& encoder,
                  const tensors::TorchTensorMap& given = {}) const;
  // The files that are saved next to the weights of a model. `base`: the encoder without the
  // adapters, and its name.
  std::shared_ptr<const io::Adapter> record(const nn::TrainableEncoder& base,
                                            const std::string& name,
                                            const tensors::TorchTensorMap& given = {}) const;
  // The sum over all adapters of |scale B A|^2: how far they are from where they began. A scalar
  // with its graph, computed without a product of the encoder's size.
  at::Tensor squared_norm() const;

 private:
  struct Item {
    io::AdapterPlace place;
    at::Tensor a, b;
  };
  io::Adapter::Module module_of(const Item& item, const tensors::TorchTensorMap& given) const;
  std::vector<nn::LayerAdapters> beside(const encoder::Architecture& shape) const;

  LoraOptions options_;
  double scale_ = 1;
  std::vector<Item> items_;
};

// Merges the adapters into the encoder's weights during its lifetime. Afterwards the weights are
// the same as before, to the bit.
class MergedWeights {
 public:
  MergedWeights(const LoraAdapters& adapters, const nn::TrainableEncoder& encoder);
  MergedWeights(const MergedWeights&) = delete;
  MergedWeights& operator=(const MergedWeights&) = delete;
  ~MergedWeights();

 private:
  void put_back() noexcept;

  std::vector<std::pair<at::Tensor, at::Tensor>> kept_;  // each weight and its previous values
};

}  // namespace contrastive::methods
