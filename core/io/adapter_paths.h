// The modules of a family's checkpoints that a low-rank adapter can change, and the names that
// select them. peft names modules as transformers does.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "core/encoder/architecture.h"

namespace contrastive::io {

// One linear module that an adapter can change.
struct AdapterPlace {
  std::string module;                // "encoder.layer.0.attention.self.query"
  std::vector<std::string> weights;  // names in core/encoder/weights.h of the weights whose rows it
                                     // contains, in this order:
                                     // "encoder.layer.0.attention.self.query.weight"
  std::vector<int64_t> rows;         // of each of them
  int64_t out = 0, in = 0;           // the shape of the module
};

// All modules that can be trained, one weight set after the other, in the order of the family's
// list.
std::vector<AdapterPlace> adapter_places(const encoder::Architecture& architecture);

// The same and the modules whose adapters are read but not trained: the pooler, and the projection
// of narrow embeddings.
std::vector<AdapterPlace> readable_adapter_places(const encoder::Architecture& architecture);

// The modules that `targets` select: query, key, value, output (of attention), ffn and all, or a
// name by peft's rule: the module's whole name or its end after a dot. A module that contains the
// rows of several weights is selected as a whole. Throws kArgument for a name that fits no module,
// and lists the names that do.
std::vector<AdapterPlace> adapter_targets(const encoder::Architecture& architecture,
                                          const std::vector<std::string>& targets);

// peft's `target_modules` for exactly these modules: the shortest name endings that fit them and no
// other module of the checkpoint.
std::vector<std::string> peft_target_modules(const encoder::Architecture& architecture,
                                             const std::vector<AdapterPlace>& places);

}  // namespace contrastive::io
