// The examples of a GLUE set in the encoder's form: packed ids, with a pair's two texts in one
// sequence with segments.
#pragma once

#include <cstdint>
#include <vector>

#include "core/base/cancel.h"
#include "core/torch/tasks/glue/glue_files.h"
#include "core/text/token_batch.h"
#include "core/text/tokenizer.h"

namespace contrastive::eval {

// Tokenizes all examples in order, on all threads. Single texts are cut at the end, pairs longest
// first (tokenizer.h), to `max_length` ids in total.
text::TokenBatch tokenise_glue(const text::Tokenizer& tokenizer, const GlueSet& set,
                               int64_t max_length, const Cancel* cancel);

// Returns the texts [rows[0], rows[1], ...] of a batch, packed in that order.
text::TokenBatch pick_texts(const text::TokenBatch& batch, const std::vector<int64_t>& rows);

}  // namespace contrastive::eval
