// The recipe of a view: which of CLEAR's augmentations are applied to the token ids of a text. They
// are always applied in the order subs, del-word, del-span, reorder (CLEAR 4.1: substitution before
// deletion).
#pragma once

#include <string>

#include "core/torch/augment/tokens/del_token.h"
#include "core/torch/augment/tokens/spans.h"
#include "core/torch/augment/tokens/synonym_table.h"

namespace contrastive::augment {

struct Recipe {
  bool subs = false, del_word = false, del_span = false, reorder = false;

  bool operator==(const Recipe& other) const {
    return subs == other.subs && del_word == other.del_word && del_span == other.del_span &&
           reorder == other.reorder;
  }
  // The paper (4.2) reports that these fail: it is too easy to tell which views belong together.
  bool fails() const { return (subs || reorder) && !del_word && !del_span; }
  bool changes_nothing() const { return *this == Recipe{}; }
  bool reorders_only() const { return *this == Recipe{false, false, false, true}; }
};

// "del-word", "subs+del-span+reorder", ... or "none". kArgument names `key` and the unknown name.
Recipe parse_recipe(const std::string& text, const std::string& key);

struct RecipeOptions {
  double subs_share = 0.3;
  double del_share = 0.7;
  DelToken del;
  SpanOptions spans;  // for del-span; reorder uses its share, sampler and deviation too
  int64_t reorder_pairs = 5;
  bool reorder_skip = false;               // if reorder is the only augmentation; see reorder()
  const SynonymTable* synonyms = nullptr;  // needed if a recipe has subs
  int64_t max_length = 512;                // most ids of a text after subs
};

// Makes one view of a text. The first and the last id stay.
Ids augment(const Ids& ids, const Recipe& recipe, const RecipeOptions& options, Rng& rng);

}  // namespace contrastive::augment
