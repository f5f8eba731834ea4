// A model adapted to pairs of queries and documents, in one call: split, test, mine, train, test
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
  const data::Dataset* corpus = nullptr;  // null: the pairs' own documents
};

// Writes the better model to `output`, replacing a model that is there, or nothing; returns the
// report (README.md lists it), of which "shipped" says which. Killed or cancelled, the same call
// goes on. kArgument for pairs, a corpus or a config that nothing can be made of; kMismatch where a
// run was broken off that was begun with others; and the errors of mining and training.
Json adapt(const AdaptInput& input, const std::string& output, const Config& config,
           const Cancel* cancel);

}  // namespace contrastive::adapt
