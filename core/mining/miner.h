// Mining of hard negatives: takes pairs and a corpus, writes a file of triplets, tuples or labelled
// texts, and returns a report. README.md says how it works.
#pragma once

#include <string>

#include "core/base/cancel.h"
#include "core/base/json.h"
#include "core/data/dataset.h"
#include "core/mining/guide.h"
#include "core/mining/mining_encoder.h"
#include "core/mining/mining_options.h"

namespace contrastive::mining {

struct MiningInput {
  const data::Dataset& pairs;
  const data::Dataset* corpus = nullptr;  // null: only the positives
};

// Where the vectors are stored during a run: options.cache, or a folder next to the output.
std::string vector_folder(const std::string& output, const MiningOptions& options);

// Writes `output`, and returns the report (README.md lists its members). `guide` may be null; it
// scores all candidates and positives again. kArgument if no query has a negative. kCancelled: the
// vectors made so far are in the folder of vectors, and the same call continues from there. An
// existing output is replaced at the end.
Json mine(const MiningEncoder& encoder, Guide* guide, const MiningInput& input,
          const std::string& output, const MiningOptions& options, const Cancel* cancel);

}  // namespace contrastive::mining
