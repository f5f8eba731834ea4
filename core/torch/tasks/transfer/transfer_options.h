// The config keys of the task "transfer", and the published settings of its classifier that give
// their defaults (core/torch/tasks/transfer/README.md).
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "core/base/config.h"
#include "core/base/options.h"
#include "core/eval/encode_keys.h"
#include "core/torch/tasks/transfer/probe_fit.h"

namespace contrastive::eval {

// kDefault: the setting that the literature reports. kPrototyping: SentEval's quick setting.
// kSgOpt: the default with SG-OPT's hidden layer and seeds.
enum class TransferPreset { kDefault, kPrototyping, kSgOpt };

struct TransferOptions {
  std::string data;
  std::vector<std::string> tasks = {"MR", "CR", "SUBJ", "MPQA", "SST2", "TREC", "MRPC"};
  TransferPreset preset = TransferPreset::kDefault;
  FitOptions fit;
  int64_t kfold = 10;
  std::vector<double> l2 = {1e-5, 1e-4, 1e-3, 1e-2};
  std::vector<int64_t> seeds = {1111};
  EncodeKeys encode;

  void visit(OptionVisitor& v);
  void visit_preset(OptionVisitor& v);
};

// Reads the keys of `config`; keys that are not set have the preset's values. kArgument for values
// out of range, and if data or tasks are missing.
TransferOptions read_transfer_options(const Config& config);

}  // namespace contrastive::eval
