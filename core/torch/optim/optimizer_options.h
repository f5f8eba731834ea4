// The optimizer of a training run: its name, and the values of its config keys.
#pragma once

#include <string>

#include "core/base/config.h"
#include "core/base/options.h"

namespace contrastive::optim {

struct OptimizerOptions {
  std::string name = "adamw";  // one of optimizer_list.h
  double weight_decay = 0.01;
  // The keys of optimizers, such as momentum. An optimizer reads its own; a key that is not set has
  // its default.
  Config keys = {};

  // The key `optimizer`, `weight_decay`, and the keys of every optimizer that a run may choose.
  void visit(OptionVisitor& v);
};

// Throws kArgument for a key in `user` that only optimizers other than `name` read.
void refuse_keys_of_other_optimizers(const Config& user, const std::string& name);

}  // namespace contrastive::optim
