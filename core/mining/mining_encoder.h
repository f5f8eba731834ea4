// How a model embeds queries and documents for mining: the prompts for both, and vectors of length
// 1 unless the caller wants the model's own.
#pragma once

#include <string>

#include "core/base/cancel.h"
#include "core/eval/encode_keys.h"
#include "core/mining/mining_options.h"
#include "core/mining/vector_table.h"
#include "core/model/sentence_encoder.h"

namespace contrastive::mining {

struct MiningEncoder {
  NamedEncoder queries, documents;
  std::string identity;  // identifies both, without their prompts
};

// `model` must outlive the result. A prompt that is "" is replaced by the model's own for queries
// or documents, if it has one under the names that sentence-transformers looks for; otherwise by
// what `keys` say. `normalize`: as in model::EncodeOptions. kArgument for keys that do not fit the
// model.
MiningEncoder make_mining_encoder(const model::SentenceEncoder& model,
                                  const std::string& fingerprint, const eval::EncodeKeys& keys,
                                  const std::string& query_prompt,
                                  const std::string& document_prompt, const Cancel* cancel,
                                  int normalize = 1);

}  // namespace contrastive::mining
