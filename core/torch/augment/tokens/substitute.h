// subs: a share of the tokens is replaced by synonyms (CLEAR 3.3, figure 2d).
#pragma once

#include "core/torch/augment/tokens/del_token.h"
#include "core/torch/augment/tokens/synonym_table.h"

namespace contrastive::augment {

// From left to right the longest entry of the table is taken at each place; of these, int(share * n
// + u) are replaced (all, where there are fewer), each by one of its candidates. A replacement that
// would make the text longer than `max_length` ids is left out. Never the first or the last id;
// without a synonym the text stays as it is.
Ids substitute(const Ids& ids, double share, const SynonymTable& table, int64_t max_length,
               Rng& rng);

}  // namespace contrastive::augment
