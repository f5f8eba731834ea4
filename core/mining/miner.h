// Mining of hard negatives: pairs and a corpus in, a file of triplets, tuples or labelled texts
// out, and a report. README.md says how it works.
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
  const data::Dataset* corpus = nullptr;  // null: the positives alone
};

// Where the vectors of a run lie while it is under way: options.cache, or a folder beside the
// output.
std::string vector_folder(const std::string& output, const MiningOptions& options);

// Writes `output`, and returns what was found (README.md lists it). `guide` may be null; it
// rescores all candidates and positives. kArgument where no query has a negative; kCancelled: what
// was embedded lies in the folder of vectors, and the same call goes on from there. An output that
// is there already is replaced at the end.
Json mine(const MiningEncoder& encoder, Guide* guide, const MiningInput& input,
          const std::string& output, const MiningOptions& options, const Cancel* cancel);

}  // namespace contrastive::mining
