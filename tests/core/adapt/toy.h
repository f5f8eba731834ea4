// A small model with fresh weights, and pairs that it can learn: each second text has three of the
// first text's four words.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "core/adapt/pair_set.h"
#include "core/base/json.h"
#include "core/base/rng.h"
#include "core/model/model_recipe.h"
#include "tests/core/mining/tables.h"
#include "tests/fixtures_folder.h"

namespace contrastive::adapt {

inline std::shared_ptr<model::SentenceEncoder> toy_model() {
  model::ModelRecipe recipe;
  recipe.tokenizer = fixtures() + "/models/bert_st";
  recipe.layers = 1;
  recipe.hidden_size = 32;
  recipe.attention_heads = 2;
  recipe.max_length = 32;
  recipe.pooling = "mean";
  return model::create_model(recipe);
}

inline std::vector<AdaptPair> toy_pairs(int64_t count) {
  static const std::vector<std::string> kWords = {
      "the",   "an",  "and",   "in",    "on",    "over",  "of",     "to",     "is",     "are",
      "was",   "cat", "dog",   "bird",  "house", "mat",   "sat",    "two",    "old",    "new",
      "fly",   "run", "open",  "cafe",  "water", "tree",  "green",  "red",    "blue",   "small",
      "large", "man", "woman", "child", "plays", "sings", "guitar", "winter", "summer", "closed"};
  std::vector<AdaptPair> pairs;
  for (int64_t i = 0; i < count; ++i) {
    Rng rng(11, Purpose::kSubset, 0, static_cast<uint64_t>(i));
    std::vector<std::string> words = kWords;
    rng.shuffle(words);
    pairs.push_back({words[0] + " " + words[1] + " " + words[2] + " " + words[3],
                     words[2] + " " + words[0] + " " + words[3] + " " + words[4] + " " + words[5]});
  }
  return pairs;
}

inline std::shared_ptr<data::Dataset> dataset_of(const std::vector<AdaptPair>& pairs) {
  mining::Pairs list;
  for (const AdaptPair& pair : pairs) list.emplace_back(pair.anchor, pair.positive);
  return mining::pairs_of(list);
}

// Keys with which the toy model learns in a second.
inline Config toy_config() {
  return Config::parse(
      R"({"lr": 0.002, "epochs": 20, "eval_every": 10, "mining.relative_margin": -1e9, "resamples": 200})");
}

}  // namespace contrastive::adapt
