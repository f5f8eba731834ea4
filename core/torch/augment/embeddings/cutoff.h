// The cutoffs of ConSERT (section 3.2; Shen et al., 2020): what of one text's embeddings [length,
// width] is set to zero. A choice of places, not an operation: it depends on the random stream and
// the two sizes only.
#pragma once

#include <cstdint>

#include "core/base/rng.h"

namespace contrastive::augment {

enum class Cutoff {
  kTokens,    // whole rows: int(length * rate) of them
  kFeatures,  // whole columns, the same for every token: int(width * rate)
  kSpan,      // rows that lie side by side: int(length * rate)
  kElements,  // single elements: int(length * width * rate), without dropout's factor 1 / (1 -
              // rate) on the others
};

// int(n * rate) in IEEE double: 28 of 100 at a rate of 0.29, none of 6 at 0.15.
int64_t cutoff_count(int64_t n, double rate);

// Sets cut[token * width + feature] to true for every place that is cut, and leaves the others as
// they are. The counts are exact and every choice of that size is as likely as any other; special
// tokens count like all others (ConSERT's code).
void draw_cutoff(Cutoff kind, double rate, int64_t length, int64_t width, Rng& rng, bool* cut);

}  // namespace contrastive::augment
