// SentEval's transfer tasks: how well a small classifier on a model's frozen embeddings
// distinguishes classes of sentences (core/torch/tasks/transfer/README.md).
#pragma once

#include <cstdint>
#include <vector>

#include "core/base/cancel.h"
#include "core/eval/text_encoder.h"
#include "core/torch/tasks/transfer/protocol.h"
#include "core/torch/tasks/transfer/transfer_files.h"

namespace contrastive::eval {

// One seed's figures, in [0, 1].
struct TransferScore {
  double dev = 0;   // accuracy of the chosen l2 on the examples that chose it
  double test = 0;  // accuracy
  double f1 = 0;    // for class 1 on the test part, for pair tasks
};

// Encodes each distinct text once, then measures with each seed.
std::vector<TransferScore> evaluate_transfer(const TransferData& data, const TextEncoder& encoder,
                                             const ProtocolOptions& options,
                                             const std::vector<uint64_t>& seeds,
                                             const Cancel* cancel);

}  // namespace contrastive::eval
