// Writes the dev part as files for the task "retrieval" (in BEIR's layout), by which a training run
// chooses its best weights.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "core/adapt/pair_set.h"
#include "core/data/dataset.h"

namespace contrastive::adapt {

// Writes corpus.jsonl, queries.jsonl and qrels/dev.tsv into `folder`. The documents are the answers
// of the dev part and, so that these are not too easy to find, up to `others` more texts, drawn by
// `seed` from `further` (a corpus, or the documents of all pairs).
void write_dev_files(const std::string& folder, const std::vector<AdaptPair>& dev,
                     const data::Dataset& further, int64_t others, int64_t seed);

}  // namespace contrastive::adapt
