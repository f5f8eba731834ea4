// An encoder with one more row in its word embeddings, for a token that exists while a method
// trains and that no text can hold (CLEAR's [DEL]). The row leaves again before the model is handed
// out: with it the weights would fit no other program's vocabulary.
#pragma once

#include <cstdint>
#include <memory>

#include "core/model/sentence_encoder.h"

namespace contrastive::methods {

// A copy whose last row is new, drawn from N(0, initializer_range) as the encoder's own were; its
// id is the vocab_size of before.
std::shared_ptr<model::SentenceEncoder> with_extra_row(model::SentenceEncoder& model,
                                                       uint64_t seed);

// A copy without the last row.
std::shared_ptr<model::SentenceEncoder> without_extra_row(model::SentenceEncoder& model);

}  // namespace contrastive::methods
