// The cutoffs of ConSERT (section 3.2; Shen et al., 2020): chooses which elements of one text's
// embeddings [length, width] are set to zero. The choice depends only on the random stream and the
// two sizes.
#pragma once

#include <cstdint>

#include "core/base/rng.h"

namespace contrastive::augment {

enum class Cutoff {
  // Single elements: int(length * width * rate). The others are not scaled by 1 / (1 - rate),
  // unlike dropout.
  kTokens,    // adjacent rows: int(length * rate)
  kFeatures,  // whole columns, the same for every token: int(width * rate)
  kSpan,      // rows that lie side by side: int(length * rate)
  kElements,
};

// int(n * rate) in IEEE double: 28 of 100 at a rate of 0.29, none of 6 at 0.15.
int64_t cutoff_count(int64_t n, double rate);

// Sets cut[token * width + feature] to true for every element that is cut, and leaves the others
// unchanged. The counts are exact, and every choice of that size is equally likely. Special tokens
// count like all others (as in ConSERT's code).
void draw_cutoff(Cutoff kind, double rate, int64_t length, int64_t width, Rng& rng, bool* cut);

}  // namespace contrastive::augment
