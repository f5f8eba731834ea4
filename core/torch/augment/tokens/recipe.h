// A view's recipe: which of CLEAR's augmentations are applied to the token ids of a text. They come
// in one order, whatever the order of their names: subs, del-word, del-span, reorder (CLEAR 4.1:
// substitution before deletion).
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
  // Reported as failing by the paper (4.2): the views are too easily told to belong together.
  bool fails() const { return (subs || reorder) && !del_word && !del_span; }
  bool changes_nothing() const { return *this == Recipe{}; }
  bool reorders_only() const { return *this == Recipe{false, false, false, true}; }
};

// "del-word", "subs+del-span+reorder", ... or "none". kArgument names `key` and what is not known.
Recipe parse_recipe(const std::string& text, const std::string& key);

struct RecipeOptions {
  double subs_share = 0.3;
  double del_share = 0.7;
  DelToken del;
  SpanOptions spans;  // of del-span; reorder takes its share, sampler and deviation from here too
  int64_t reorder_pairs = 5;
  bool reorder_skip = false;               // where reorder stands alone; see reorder()
  const SynonymTable* synonyms = nullptr;  // needed where a recipe has subs
  int64_t max_length = 512;                // ids that subs may not exceed
};

// One view of a text. The first and the last id stay.
Ids augment(const Ids& ids, const Recipe& recipe, const RecipeOptions& options, Rng& rng);

}  // namespace contrastive::augment
