// Config keys that several optimizers read. A key of one optimizer is in its file.
#pragma once

#include <vector>

#include "core/base/error.h"
#include "core/base/options.h"

namespace contrastive::optim {

struct MomentumKeys {
  double momentum = 0.9;

  void visit(OptionVisitor& v) {
    v.real("momentum", momentum, {0, 1, false, true},
           OptionDoc("momentum coefficient, for optimizers with momentum").source("SimCLR: 0.9"));
  }
};

struct AdamKeys {
  std::vector<double> betas = {0.9, 0.999};
  double eps = 1e-8;

  void visit(OptionVisitor& v) {
    v.numbers("betas", betas, {0, 1, false, true}, "decay rates of adam's two moments");
    check(betas.size() == 2, Status::kArgument, "config key 'betas' takes two numbers, not ",
          betas.size());
    v.real("eps", eps, above(0, 1), "added to the root of adam's second moment");
  }
};

}  // namespace contrastive::optim
