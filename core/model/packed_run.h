// Runs the texts of one call through a model's encoders, in packed batches of similar length, on
// all threads or devices.
#pragma once

#include <cstdint>
#include <functional>

#include "core/base/cancel.h"
#include "core/encoder/packed_tokens.h"
#include "core/model/replicas.h"
#include "core/model/token_packing.h"

namespace contrastive::model {

// A view of the batch, which must outlive it.
encoder::PackedTokens packed_view(const text::TokenBatch& batch);

// `body` is called for each batch, from any thread. Its row i is the text order[i] of the call.
// `batch_tokens` 0 chooses the size. `cancel` is checked between batches, and its listener hears
// how many texts are done; `what` says what that is, "texts encoded".
using PackedBody =
    std::function<void(const encoder::Encoder& encoder, const text::TokenBatch& batch,
                       const int64_t* order, int most_threads)>;
void run_packed(const TokenisedTexts& texts, const Replicas& replicas, int64_t batch_tokens,
                const Cancel* cancel, const char* what, const PackedBody& body);

}  // namespace contrastive::model
