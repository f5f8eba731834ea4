// The keys "METHOD.lora_*" of every method that tunes the encoder: low-rank adapters train in place
// of its weights.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "core/base/options.h"
#include "core/encoder/architecture.h"
#include "core/io/adapter_paths.h"

namespace contrastive::methods {

struct LoraOptions {
  int64_t rank = 0;  // 0 = all weights train, without adapters
  double alpha = 8;
  double dropout = 0;
  std::vector<std::string> targets = {"query", "value"};

  bool on() const { return rank > 0; }
  void visit(OptionVisitor& v);
  // Where the adapters are in a model of this shape; `prefix`: the method's. kArgument names the
  // key if the model does not have a target.
  std::vector<io::AdapterPlace> places(const encoder::Architecture& shape,
                                       const std::string& prefix) const;
};

}  // namespace contrastive::methods
