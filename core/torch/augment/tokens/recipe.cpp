#include "core/torch/augment/tokens/recipe.h"

#include "core/torch/augment/tokens/delete_span.h"
#include "core/torch/augment/tokens/delete_word.h"
#include "core/torch/augment/tokens/reorder.h"
#include "core/torch/augment/tokens/substitute.h"
#include "core/base/error.h"
#include "core/base/nearest.h"

namespace contrastive::augment {

Recipe parse_recipe(const std::string& text, const std::string& key) {
  Recipe recipe;
  if (text == "none") return recipe;
  const std::vector<std::pair<std::string, bool*>> known = {{"subs", &recipe.subs},
                                                            {"del-word", &recipe.del_word},
                                                            {"del-span", &recipe.del_span},
                                                            {"reorder", &recipe.reorder}};
  for (size_t begin = 0; begin <= text.size();) {
    const size_t end = std::min(text.find('+', begin), text.size());
    const std::string name = text.substr(begin, end - begin);
    std::vector<std::string> names;
    bool found = false;
    for (const auto& [item, flag] : known) {
      names.push_back(item);
      if (item != name) continue;
      check(!*flag, Status::kArgument, "config key '", key, "': '", name, "' appears twice in '",
            text, "'");
      found = *flag = true;
    }
    check(found, Status::kArgument, "config key '", key,
          "': ", unknown_name("augmentation", name, names), "; several are joined with '+'");
    begin = end + 1;
  }
  return recipe;
}

Ids augment(const Ids& ids, const Recipe& recipe, const RecipeOptions& options, Rng& rng) {
  Ids view = ids;
  if (recipe.subs)
    view = substitute(view, options.subs_share, *options.synonyms, options.max_length, rng);
  if (recipe.del_word) view = delete_words(view, options.del_share, options.del, rng);
  if (recipe.del_span) view = delete_spans(view, options.spans, options.del, rng);
  if (recipe.reorder)
    view = reorder(view, options.reorder_pairs, options.spans,
                   options.reorder_skip && recipe.reorders_only(), rng);
  return view;
}

}  // namespace contrastive::augment
