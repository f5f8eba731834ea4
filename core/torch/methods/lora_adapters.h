// The low-rank adapters that a method trains beside an encoder's weights: their start, what an
// optimiser moves, and what they come to when they are merged.
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
  // A from U(-1 / sqrt(in), 1 / sqrt(in)), a function of the seed; B = 0: at first they change
  // nothing. On the encoder's device, beside whose weights they stand from now on. `prefix`: the
  // method's.
  LoraAdapters(const LoraOptions& options, const std::string& prefix, nn::TrainableEncoder& encoder,
               uint64_t seed);

  bool empty() const { return items_.empty(); }
  // Named as peft names them, without its prefix:
  // "encoder.layer.0.attention.self.query.lora_A.weight".
  std::vector<optim::Parameter> parameters() const;
  std::vector<std::string> weights()
      const;  // that they stand beside, by their names in core/encoder/weights.h
  // Adds scale B A to the weights of `encoder`; `given`, by the names of parameters(), goes before
  // what they are now.
  void merge_into(const nn::TrainableEncoder& encoder,
                  const tensors::TorchTensorMap& given = {}) const;
  // What a saved model has beside its weights. `base`: the encoder without them, and what it is
  // called.
  std::shared_ptr<const io::Adapter> record(const nn::TrainableEncoder& base,
                                            const std::string& name,
                                            const tensors::TorchTensorMap& given = {}) const;
  // sum over all of |scale B A|^2: how far they are from where they began. A scalar with its graph;
  // no product of the encoder's size is made.
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

// While it lives, the adapters are merged into the encoder's weights; then these are again what
// they were, to the bit.
class MergedWeights {
 public:
  MergedWeights(const LoraAdapters& adapters, const nn::TrainableEncoder& encoder);
  MergedWeights(const MergedWeights&) = delete;
  MergedWeights& operator=(const MergedWeights&) = delete;
  ~MergedWeights();

 private:
  void put_back() noexcept;

  std::vector<std::pair<at::Tensor, at::Tensor>> kept_;  // each weight and its numbers from before
};

}  // namespace contrastive::methods
