// The list of optimizers. To add one, add its file and its line in optimizer_list.cpp.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "core/base/options.h"
#include "core/torch/optim/optimizer.h"
#include "core/torch/optim/optimizer_options.h"

namespace contrastive::optim {

// Visits a group of keys with the values from `values`, and stores the visited values there.
using VisitKeys = void(Config& values, OptionVisitor& v);

// The VisitKeys of an aggregate with visit(): the keys of one optimizer, or those that several
// share (shared_keys.h).
template <class Keys>
void visit_keys(Config& values, OptionVisitor& v) {
  auto keys = read_options<Keys>(values);
  keys.visit(v);
  values.merge(dump_options(keys));
}

struct OptimizerEntry {
  const char* name;  // in the key `optimizer`
  std::unique_ptr<Optimizer> (*make)(const OptimizerOptions& options,
                                     std::vector<Parameter> parameters);
  std::vector<VisitKeys*> keys;  // without weight_decay, which all of them read
  bool in_runs = true;           // false: only evaluation tasks use it
};

// The `make` of an optimizer whose constructor takes the same arguments.
template <class Kind>
std::unique_ptr<Optimizer> make(const OptimizerOptions& options,
                                std::vector<Parameter> parameters) {
  return std::make_unique<Kind>(options, std::move(parameters));
}

const std::vector<OptimizerEntry>& all_optimizers();

// Throws an internal error for an unknown name.
std::unique_ptr<Optimizer> make_optimizer(const OptimizerOptions& options,
                                          std::vector<Parameter> parameters);

}  // namespace contrastive::optim
