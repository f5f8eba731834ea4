// Low-rank adapters (LoRA; Hu et al., 2021) as folders: adapter_config.json and
// adapter_model.safetensors, as peft writes and loads them. A module with weight W has two matrices
// A and B, and computes with W + scale B A.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "core/base/tensor.h"
#include "core/encoder/architecture.h"
#include "core/io/adapter_paths.h"

namespace contrastive::io {

struct Adapter {
  struct Module {
    AdapterPlace place;
    Tensor a;  // [rank, in]
    Tensor b;  // [out, rank]
  };

  int64_t rank = 8;
  double alpha = 8;
  double dropout = 0;            // used in its training
  bool rank_stabilized = false;  // scale = alpha / sqrt(rank) instead of alpha / rank
  std::string base;              // the name of the model that it belongs to; "" if unknown
  std::string base_digest;  // of that model's own weights, see adapter_base_digest(); "" if unknown
  std::vector<Module> modules;  // in the order of adapter_places()

  double scale() const;
};

// Reads an adapter folder for an encoder of this shape. Tensor names may have the prefix of a model
// with a head. Throws kNotFound and kFormat; kUnsupported, which names the key of
// adapter_config.json, for anything but a plain adapter (use_dora, modules_to_save, ...);
// kMismatch, which names the tensor, if a tensor fits no module of the encoder, has the wrong
// shape, or lacks its partner.
Adapter read_adapter(const std::string& folder, const encoder::Architecture& architecture);

// Writes both files into an existing folder that has neither.
void write_adapter(const std::string& folder, const Adapter& adapter,
                   const encoder::Architecture& architecture);

// The digest of the first row of every weight that the adapter changes, as it is in `weights`
// without the adapter (float32, under the names in core/encoder/weights.h).
std::string adapter_base_digest(const std::vector<AdapterPlace>& places, const TensorMap& weights);

// scale B A for weight number `part` of the module: [its rows, in].
Tensor low_rank_product(const Adapter::Module& module, size_t part, double scale);

// Adds scale B A to the weights. Throws kMismatch if the adapter records that it was trained on
// other weights, and kNumeric if a sum overflows; the error names `source`.
void merge_adapter(const Adapter& adapter, TensorMap& weights, const std::string& source);

}  // namespace contrastive::io
