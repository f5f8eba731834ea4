// The keys of every task over scored pairs: the files, how two vectors are compared, and which
// figure represents a data set.
#pragma once

#include <string>
#include <vector>

#include "core/base/options.h"
#include "core/eval/model_metric.h"
#include "core/eval/sts/sts_files.h"
#include "core/eval/sts/sts_report.h"

namespace contrastive::eval {

struct StsKeys {
  std::string data;
  StsSplit split = StsSplit::kPreferTest;
  ChosenMetric similarity = ChosenMetric::kModel;
  StsAggregate aggregate = StsAggregate::kAll;

  void visit(OptionVisitor& v);
  std::vector<StsSet> read() const;  // kArgument when data is not set; the errors of read_sts_sets
};

}  // namespace contrastive::eval
