// Semantic textual similarity (STS): how well a model's similarities rank pairs of sentences with
// human scores (core/eval/sts/README.md 1 to 4).
#pragma once

#include <cstdint>
#include <vector>

#include "core/eval/sts/sts_files.h"
#include "core/eval/sts/sts_report.h"
#include "core/eval/sts/sts_set.h"
#include "core/eval/text_encoder.h"
#include "core/retrieval/similarity.h"

namespace contrastive::eval {

// The similarity of every pair, for each of several vectors of a text: `encoder` gives `variants`
// vectors of dimension / variants numbers each, concatenated. Result: [variants] lists for all
// sets' subsets in order. Each distinct text is encoded once, all in one call as long as their
// vectors fit into `most_bytes`; beyond that, pairs are processed in parts. The cosine with a zero
// vector is 0; one warning says how many there were.
std::vector<SubsetScores> score_sts(const std::vector<StsSet>& sets, const TextEncoder& encoder,
                                    int64_t variants, retrieval::Metric metric,
                                    int64_t most_bytes = int64_t{1} << 30);

// score_sts and correlate_sts. Subsets with an undefined correlation (constant gold or predictions)
// are reported as undefined with a warning, and left out of the means.
StsReport evaluate_sts(const std::vector<StsSubset>& subsets, const TextEncoder& encoder,
                       retrieval::Metric metric);
StsSuiteReport evaluate_sts_sets(const std::vector<StsSet>& sets, const TextEncoder& encoder,
                                 retrieval::Metric metric);

}  // namespace contrastive::eval
