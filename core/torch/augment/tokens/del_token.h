// What replaces a deleted token. CLEAR puts [DEL] there and collapses neighbouring ones, so that
// the two views of a text cannot be matched by their positions (CLEAR 3.3).
#pragma once

#include <cstdint>
#include <vector>

#include "core/base/rng.h"

namespace contrastive::augment {

using Ids = std::vector<int32_t>;  // of one text, special tokens included

struct DelToken {
  int32_t id = -1;
  bool collapse = true;  // consecutive [DEL]s become one
  // Of the tokens chosen for deletion, these shares stay as they are, or become a random token of
  // `ordinary` instead (0.1 each in the authors' code).
  double keep = 0;
  double random = 0;
  const std::vector<int32_t>* ordinary = nullptr;  // needed if random > 0
};

// Returns `ids` with every run of `id` reduced to one.
Ids collapse(const Ids& ids, int32_t id);

// Returns `ids` with the tokens at `positions` deleted.
Ids delete_at(const Ids& ids, const std::vector<int64_t>& positions, const DelToken& del, Rng& rng);

}  // namespace contrastive::augment
