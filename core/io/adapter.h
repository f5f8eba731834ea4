// A low-rank adapter (LoRA; Hu et al., 2021) as a folder: adapter_config.json and
// adapter_model.safetensors, as peft writes and loads them. Beside the weight W of a module stand A
// and B, and what is computed is W + scale B A.
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
  double dropout = 0;            // that it was trained with
  bool rank_stabilized = false;  // scale = alpha / sqrt(rank) in the place of alpha / rank
  std::string base;              // what the model is called that it belongs to; "" = not known
  std::string
      base_digest;  // of that model's own weights, see adapter_base_digest(); "" = not known
  std::vector<Module> modules;  // in the order of adapter_places()

  double scale() const;
};

// Reads such a folder for an encoder of this shape. Names may begin as those of a model with a head
// do. kNotFound, kFormat; kUnsupported names the key of adapter_config.json that asks for something
// else than a plain adapter (use_dora, modules_to_save, ...); kMismatch names a tensor that fits no
// module of the encoder, has another shape than it asks for, or lacks its partner.
Adapter read_adapter(const std::string& folder, const encoder::Architecture& architecture);

// Writes both files into a folder that is there and has neither.
void write_adapter(const std::string& folder, const Adapter& adapter,
                   const encoder::Architecture& architecture);

// Of the first row of every weight that the adapter stands beside, as `weights` (float32, by their
// names in core/encoder/weights.h) have them without it.
std::string adapter_base_digest(const std::vector<AdapterPlace>& places, const TensorMap& weights);

// scale B A for the weight number `part` of the module: [rows of it, in].
Tensor low_rank_product(const Adapter::Module& module, size_t part, double scale);

// Adds scale B A to the weights. kMismatch where the adapter says that it was trained on other
// ones, kNumeric where a sum overflows; `source` names it there.
void merge_adapter(const Adapter& adapter, TensorMap& weights, const std::string& source);

}  // namespace contrastive::io
