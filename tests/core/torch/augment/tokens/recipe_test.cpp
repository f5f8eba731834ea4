#include "core/torch/augment/tokens/recipe.h"

#include <gmock/gmock.h>

#include "core/base/error.h"
#include "tests/core/torch/augment/statistics.h"
#include "tests/core/torch/augment/tokens/ids.h"
#include "tests/expect_error.h"

namespace contrastive::augment {
namespace {

using ::testing::HasSubstr;

RecipeOptions options(const SynonymTable* table = nullptr) {
  RecipeOptions options;
  options.del = plain_del();
  options.synonyms = table;
  return options;
}

TEST(Recipe, NamesInAnyOrder) {
  EXPECT_EQ(parse_recipe("reorder+subs+del-word", "k"), (Recipe{true, true, false, true}));
  EXPECT_EQ(parse_recipe("none", "k"), Recipe{});
  for (const char* failing : {"subs", "reorder", "subs+reorder"})
    EXPECT_TRUE(parse_recipe(failing, "k").fails()) << failing;
  for (const char* working : {"del-word", "del-span", "subs+del-word", "subs+del-span",
                              "del-word+reorder", "del-span+reorder", "subs+del-word+reorder"}) {
    EXPECT_FALSE(parse_recipe(working, "k").fails()) << working;
  }
}

TEST(Recipe, RefusesWhatItDoesNotKnow) {
  for (const auto& [text, part] :
       std::vector<std::pair<std::string, std::string>>{{"", "unknown augmentation ''"},
                                                        {"del-words", "did you mean 'del-word'"},
                                                        {"subs+subs", "appears twice"},
                                                        {"subs+", "unknown"}}) {
    const std::string message = expect_error(Status::kArgument, "clear.recipe", [&, text = text] {
      parse_recipe(text, "clear.recipe");
    });
    EXPECT_THAT(message, HasSubstr(part));
  }
}

TEST(Recipe, SubstitutesBeforeItDeletesAndReordersLast) {
  SynonymTable table;
  for (int32_t id = 101; id < 199; ++id) table.add({id}, {id + 1000});
  RecipeOptions all = options(&table);
  all.subs_share = 0.99;
  all.del_share = 0.5;
  Rng rng = rng_for(0);
  const Ids mixed = augment(text_of(100), parse_recipe("reorder+del-word+subs", "k"), all, rng);
  for (const int32_t id : mixed)
    EXPECT_TRUE(id == 0 || id == 2 || id == kDel || id > 1000)
        << id << " was not substituted before the deletion";
  for (size_t i = 1; i + 1 < mixed.size(); ++i) EXPECT_GE(mixed[i], 3);
  const Ids swapped(mixed.begin() + 1, mixed.end() - 1);
  Ids words;
  for (const int32_t id : swapped) {
    if (id != kDel) words.push_back(id);
  }
  EXPECT_FALSE(std::is_sorted(words.begin(), words.end())) << "reordered";
}

TEST(Recipe, SkipsReorderingOnlyWhereItStandsAlone) {
  RecipeOptions skip = options();
  skip.reorder_skip = true;
  skip.reorder_pairs = 1;
  RecipeOptions always = skip;
  always.reorder_skip = false;
  int64_t alone = 0;
  for (uint64_t example = 0; example < 200; ++example) {
    Rng one = rng_for(example), two = rng_for(example), three = rng_for(example);
    alone += augment(text_of(40), parse_recipe("reorder", "k"), skip, one) == text_of(40);
    const Recipe mixture = parse_recipe("del-word+reorder", "k");
    EXPECT_EQ(augment(text_of(40), mixture, skip, two),
              augment(text_of(40), mixture, always, three));
  }
  EXPECT_NEAR(static_cast<double>(alone), 100, 36);
}

TEST(Recipe, EveryRecipeKeepsTheEndsOfEveryText) {
  SynonymTable table;
  for (int32_t id = 101; id < 140; ++id) table.add({id}, {id + 1000, 1});
  for (const char* name :
       {"none", "subs", "del-word", "del-span", "reorder", "subs+del-word+del-span+reorder"}) {
    for (int64_t n = 2; n < 40; ++n) {
      Rng rng = rng_for(static_cast<uint64_t>(n)), again = rng_for(static_cast<uint64_t>(n));
      RecipeOptions short_ones = options(&table);
      short_ones.max_length = n + 2;
      const Ids view = augment(text_of(n), parse_recipe(name, "k"), short_ones, rng);
      ASSERT_GE(view.size(), 2u);
      ASSERT_LE(static_cast<int64_t>(view.size()), n + 2);
      EXPECT_EQ(view.front(), 0);
      EXPECT_EQ(view.back(), 2);
      EXPECT_EQ(view, augment(text_of(n), parse_recipe(name, "k"), short_ones, again))
          << "a function of the stream";
    }
  }
}

TEST(Recipe, ViewsOfAMixtureAreIndependent) {
  SynonymTable table;
  for (int32_t id = 101; id < 119; ++id) table.add({id}, {id + 1000, id + 2000});
  const RecipeOptions all = options(&table);
  const Recipe mixture = parse_recipe("subs+del-word+del-span+reorder", "k");
  // There are too many views to count, so they are hashed into eleven groups.
  EXPECT_TRUE(views_are_independent(
      [&](Rng& rng) {
        uint64_t heap = 0;
        for (const int32_t id : augment(text_of(20), mixture, all, rng))
          heap = (heap * 31 + static_cast<uint64_t>(id)) % 1000003;
        return heap % 11;
      },
      5000));
}

}  // namespace
}  // namespace contrastive::augment
