// subs: replaces a share of the tokens by synonyms (CLEAR 3.3, figure 2d).
#pragma once

#include "core/torch/augment/tokens/del_token.h"
#include "core/torch/augment/tokens/synonym_table.h"

namespace contrastive::augment {

// From left to right, the longest entry of the table that matches is taken at each place. int(share
// * n + u) of these matches (or all, if there are fewer) are replaced, each by one of its
// candidates. A replacement that would make the text longer than `max_length` ids is left out.
// Never replaces the first or the last id. A text without synonyms is not changed.
Ids substitute(const Ids& ids, double share, const SynonymTable& table, int64_t max_length,
               Rng& rng);

}  // namespace contrastive::augment
