// Adapts a model to pairs of queries and documents, in one call: split, test, mine, train, test
// again, and keep the result if it is better. README.md says how.
#pragma once

#include <memory>
#include <string>

#include "core/base/cancel.h"
#include "core/base/config.h"
#include "core/base/json.h"
#include "core/data/dataset.h"
#include "core/model/sentence_encoder.h"

namespace contrastive::adapt {

struct AdaptInput {
  std::shared_ptr<model::SentenceEncoder> model;
  std::string fingerprint;  // of the model
  const data::Dataset& pairs;
  const data::Dataset* corpus = nullptr;  // null: only the documents of the pairs
};

// If the adapted model is better, writes it to `output`, replacing an existing model. Returns the
// report (README.md lists it); "shipped" says whether a model was written. After a kill or
// cancellation, the same call continues. kArgument for unusable pairs, corpus or config; kMismatch
// if an interrupted run was started with other inputs; and the errors of mining and training.
Json adapt(const AdaptInput& input, const std::string& output, const Config& config,
           const Cancel* cancel);

}  // namespace contrastive::adapt
