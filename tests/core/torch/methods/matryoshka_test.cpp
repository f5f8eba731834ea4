#include "core/torch/methods/matryoshka.h"

#include <ATen/TensorOperators.h>

#include <cmath>
#include <map>
#include <set>

#include "core/torch/objectives/unit_rows.h"
#include "tests/core/torch/methods/method_tests.h"
#include "tests/expect_error.h"

namespace contrastive::methods {
namespace {

std::unique_ptr<Method> wrapped(const std::string& name, const std::string& json,
                                uint64_t seed = 1) {
  MethodContext context;
  context.start = tiny_model();
  context.config = Config::parse(json);
  context.seed = seed;
  const MethodEntry& entry = find_method(name);
  check_wrappers(entry, entry.describe(context.config), context.config);
  return make_method(entry, context);
}

TEST(Matryoshka, IsTheWeightedSumOfTheLossesOfCutVectors) {
  const std::string still = R"("mnrl.dropout": false)";
  const auto plain = make_method("mnrl", "{" + still + "}");
  const auto method =
      wrapped("mnrl",
              "{" + still + R"(, "matryoshka.dims": [32, 8], "matryoshka.weights": [1, 0.25]})");
  const data::Batch batch = some_pairs();
  Views views = plain->views(batch);
  const double whole = plain->compare(views, batch).total().item<double>();
  for (NamedRows& entry : views.vectors) {
    if (entry.rows.is_floating_point())
      entry.rows = objectives::unit_rows(entry.rows.narrow(1, 0, 8));
  }
  const double cut = plain->compare(views, batch).total().item<double>();
  EXPECT_GT(std::fabs(cut - whole), 1e-3);
  const LossTerms terms = loss_terms(*method, batch);
  EXPECT_NEAR(terms.total().item<double>(), whole + 0.25 * cut, 1e-5);
  ASSERT_EQ(terms.values.size(), 3u);
  EXPECT_EQ(terms.values[0].first, "matryoshka");
  EXPECT_EQ(terms.values[1].first, "contrastive.32");
  EXPECT_EQ(terms.values[2].first, "contrastive.8");
  EXPECT_NEAR(terms.values[2].second.item<double>(), cut, 1e-5) << "a part has no weight";
}

TEST(Matryoshka, DrawsByTheUpdateAndTheSeed) {
  const auto losses = [](uint64_t seed, int64_t steps) {
    const auto method = wrapped(
        "mnrl",
        R"({"mnrl.dropout": false, "matryoshka.dims": [32, 16, 8, 4], "matryoshka.dims_per_step": 2})",
        seed);
    std::vector<double> values;
    for (int64_t step = 0; step < steps; ++step) {
      data::Batch batch = some_pairs();
      batch.step = step;
      const LossTerms terms = loss_terms(*method, batch);
      EXPECT_EQ(terms.values.size(), 1u) << "each update draws other dimensions";
      values.push_back(terms.total().item<double>());
    }
    return values;
  };
  const std::vector<double> first = losses(1, 40);
  EXPECT_EQ(losses(1, 40), first);
  EXPECT_NE(losses(2, 40), first);
  EXPECT_EQ(std::set<double>(first.begin(), first.end()).size(), 6u)
      << "all pairs of the four are drawn";
}

TEST(Matryoshka, RefusesWhatCannotBe) {
  const auto refused = [](const char* name, const std::string& json, const std::string& part) {
    expect_error(Status::kArgument, part, [&] { wrapped(name, json); });
  };
  refused("mnrl", R"({"matryoshka.weights": [1]})",
          "'matryoshka.weights' is set, but it goes with matryoshka.dims only");
  refused("mnrl", R"({"matryoshka.dims_per_step": 1})", "goes with matryoshka.dims only");
  refused("mnrl", R"({"matryoshka.dims": [32, 16, 32]})", "'matryoshka.dims': 32 occurs twice");
  refused("mnrl", R"({"matryoshka.dims": [32, 16], "matryoshka.weights": [1, 2, 3]})",
          "has 3 numbers, but matryoshka.dims has 2");
  refused("mnrl", R"({"matryoshka.dims": [32, 16], "matryoshka.dims_per_step": 3})",
          "'matryoshka.dims_per_step' is 3");
  refused("mnrl", R"({"matryoshka.dims": [64, 16]})",
          "'matryoshka.dims' has 64, but the model's vectors have 32 dimensions");
  refused("mnrl", R"({"matryoshka.dims": [0]})", "matryoshka.dims");
  for (const auto& [name, json, part] : std::vector<std::array<const char*, 3>>{
           {"clear", R"({"matryoshka.dims": [32]})", "method 'clear' compares cannot be cut"},
           {"sgopt", R"({"matryoshka.dims": [32]})", "method 'sgopt' compares cannot be cut"},
           {"simcse", R"({"matryoshka.dims": [32]})", "set simcse.mlp to none"},
           {"consert", R"({"matryoshka.dims": [32], "consert.mode": "joint"})",
            "set consert.mode to unsup"},
           {"clsr", R"({"matryoshka.dims": [32]})", "set clsr.loss_on = v"},
           {"distill", R"({"matryoshka.dims": [32], "distill.projection": "linear"})",
            "distill.projection takes the whole vectors"}}) {
    refused(name, json, part);
  }
}

// The names of a method's views determine which of them may be cut.
TEST(Matryoshka, WhatMayBeCutIsThere) {
  const std::map<std::string, std::string> keys = {{"simcse", R"({"simcse.mlp": "none"})"},
                                                   {"clsr", R"({"clsr.loss_on": "v"})"}};
  size_t tried = 0;
  for (const MethodEntry& entry : all_methods()) {
    const auto own = keys.find(entry.name);
    const std::string json = own == keys.end() ? "{}" : own->second;
    const MethodTraits traits = entry.describe(Config::parse(json));
    if (traits.sentence_vectors.empty()) continue;
    SCOPED_TRACE(entry.name);
    ++tried;
    const auto method = make_method(entry.name, json);
    data::Batch batch = some_pairs();
    for (data::Example& example : batch.examples) example.negatives = {"water"};
    const Views views = method->views(batch);
    size_t cut = 0;
    for (const std::string& name : traits.sentence_vectors) {
      if (!views.has(name)) continue;
      ++cut;
      EXPECT_EQ(views[name].size(1), method->dimension()) << name;
    }
    EXPECT_GE(cut, 2u);
    for (const NamedRows& entry_rows : views.vectors) {
      const bool listed = std::count(traits.sentence_vectors.begin(), traits.sentence_vectors.end(),
                                     entry_rows.name) > 0;
      EXPECT_TRUE(listed || !entry_rows.rows.requires_grad())
          << entry_rows.name << " trains, but is not cut";
    }
  }
  EXPECT_GE(tried, 6u);
}

}  // namespace
}  // namespace contrastive::methods
