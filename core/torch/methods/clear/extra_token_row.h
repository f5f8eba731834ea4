// Adds one row to an encoder's word embeddings, for a token that exists only during training and
// that no text can contain (CLEAR's [DEL]). The row is removed before the model is delivered: with
// it the weights would not fit the vocabulary in other programs.
#pragma once

#include <cstdint>
#include <memory>

#include "core/model/sentence_encoder.h"

namespace contrastive::methods {

// Returns a copy with one more row, drawn from N(0, initializer_range) like the encoder's own rows.
// The id of the new row is the previous vocab_size.
std::shared_ptr<model::SentenceEncoder> with_extra_row(model::SentenceEncoder& model,
                                                       uint64_t seed);

// Returns a copy without the last row.
std::shared_ptr<model::SentenceEncoder> without_extra_row(model::SentenceEncoder& model);

}  // namespace contrastive::methods
