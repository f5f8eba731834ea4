// Which modules of a family's checkpoints a low-rank adapter may stand beside, and by which names
// they are asked for. peft names a module as transformers does.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "core/encoder/architecture.h"

namespace contrastive::io {

// One linear module of a set of layer weights.
struct AdapterPlace {
  std::string module;                // "encoder.layer.0.attention.self.query"
  std::vector<std::string> weights;  // of core/encoder/weights.h, whose rows it holds in this
                                     // order: "encoder.layer.0.attention.self.query.weight"
  std::vector<int64_t> rows;         // of each of them
  int64_t out = 0, in = 0;           // the module's shape
};

// All of them, set by set, in the order of the family's list.
std::vector<AdapterPlace> adapter_places(const encoder::Architecture& architecture);

// The same, and the modules beside which an adapter is read but not trained: the pooler, and the
// projection of narrow embeddings.
std::vector<AdapterPlace> readable_adapter_places(const encoder::Architecture& architecture);

// Those that `targets` name: query, key, value, output (attention's), ffn and all, or a name by
// peft's rule: a module, or how its name ends behind a dot. A module that holds the rows of several
// weights is taken whole. kArgument for a name that fits no module, with those that do.
std::vector<AdapterPlace> adapter_targets(const encoder::Architecture& architecture,
                                          const std::vector<std::string>& targets);

// peft's `target_modules` for exactly these places: the shortest ends of names that fit them and no
// other module of the checkpoint.
std::vector<std::string> peft_target_modules(const encoder::Architecture& architecture,
                                             const std::vector<AdapterPlace>& places);

}  // namespace contrastive::io
