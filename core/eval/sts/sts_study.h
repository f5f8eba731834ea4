// STS figures of one model under many poolings at once, from one forward pass. Used by the layer
// scan and the frequent-token curve.
#pragma once

#include <vector>

#include "core/base/json.h"
#include "core/eval/sts/sts_keys.h"
#include "core/model/sentence_encoder.h"

namespace contrastive::eval {

// One report for each variant, each equal to what evaluate_sts_sets gives for the variant alone.
// One warning for each variant without a headline figure.
std::vector<StsSuiteReport> study_sts(const model::SentenceEncoder& model,
                                      const std::vector<StsSet>& sets,
                                      const model::EncodeOptions& options,
                                      const std::vector<model::PoolingVariant>& variants,
                                      const StsKeys& keys);

// The headline figures of `reports` as a list; NaN becomes null. `set` chooses a data set, -1 the
// average.
Json headline_list(const std::vector<StsSuiteReport>& reports, StsAggregate aggregate,
                   double Correlation::* which, int64_t set = -1);

// The index of the highest headline Spearman, the first among equals; -1 if none is defined.
int64_t best_headline(const std::vector<StsSuiteReport>& reports, StsAggregate aggregate);

}  // namespace contrastive::eval
