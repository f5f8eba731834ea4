// del-word: deletes a share of the tokens, each independently (CLEAR 3.3, figure 2a).
#pragma once

#include "core/torch/augment/tokens/del_token.h"

namespace contrastive::augment {

// Deletes int(share * n + u) of the n ids, but never the first or the last one. If all others are
// chosen, <s> DEL </s> is left.
Ids delete_words(const Ids& ids, double share, const DelToken& del, Rng& rng);

}  // namespace contrastive::augment
