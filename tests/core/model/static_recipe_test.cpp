// Distilling an encoder into static embeddings, against model2vec 0.10.0
// (tests/golden/static/make.py).
#include "core/model/static_recipe.h"

#include <gtest/gtest.h>

#include <cmath>
#include <filesystem>

#include "core/io/atomic_file.h"
#include "core/io/safetensors.h"
#include "core/io/tensor_reader.h"
#include "core/model/model_recipe.h"
#include "core/model/sentence_encoder.h"
#include "core/runtime/threads.h"
#include "tests/expect_error.h"
#include "tests/fixtures_folder.h"
#include "tests/temporary_folder.h"

namespace contrastive::model {
namespace {

const std::string kEncoder = fixtures() + "/models/bert_st";

Json golden_file() { return read_json_file(fixtures() + "/../golden/static/static.json"); }

std::shared_ptr<SentenceEncoder> distilled(const Json& keys) {
  Config config;
  for (const auto& [key, value] : keys.items()) config.set_json(key, value);
  return distill_static(*SentenceEncoder::load(kEncoder), read_options<StaticRecipe>(config));
}

Tensor table_of(const SentenceEncoder& model) {
  return model.encoder().named_parameters().at(0).second;
}

TEST(StaticRecipe, TablesAndVectorsAreModel2vecs) {
  const Json all = golden_file();
  const std::vector<std::string> texts = all.at("texts").get<std::vector<std::string>>();
  ASSERT_EQ(all.at("distilled").size(), 3u);
  for (const Json& run : all.at("distilled")) {
    SCOPED_TRACE(run.at("keys").dump());
    const auto model = distilled(run.at("keys"));
    const Tensor table = table_of(*model);
    const Json& expected = run.at("table");
    ASSERT_EQ(static_cast<size_t>(table.size(0)), expected.size());
    ASSERT_EQ(static_cast<size_t>(table.size(1)), expected.at(0).size());
    double largest = 0;
    for (const Json& row : expected) {
      for (const Json& value : row) largest = std::max(largest, std::fabs(value.get<double>()));
    }
    for (size_t token = 0; token < expected.size(); ++token) {
      EXPECT_EQ(model->tokenizer().token(static_cast<int32_t>(token)),
                run.at("tokens").at(token).get<std::string>());
      for (size_t i = 0; i < expected.at(token).size(); ++i) {
        // numpy computes the components in float32.
        EXPECT_NEAR(table.floats()[token * expected.at(token).size() + i],
                    expected.at(token).at(i).get<double>(), 2e-5 * largest)
            << token << " " << i;
      }
    }
    const auto width = static_cast<size_t>(model->dimension());
    std::vector<float> vectors(texts.size() * width);
    model->encode({texts.begin(), texts.end()}, {}, vectors.data());
    for (size_t i = 0; i < texts.size(); ++i) {
      for (size_t k = 0; k < width; ++k)
        EXPECT_NEAR(vectors[i * width + k], run.at("vectors").at(i).at(k).get<double>(), 5e-5)
            << i << " " << k;
    }
  }
}

TEST(StaticRecipe, AnyNumberOfThreadsGivesTheSameTable) {
  const int before = runtime::threads();
  runtime::set_threads(1);
  const auto alone = distilled({{"dimension", 6}});
  runtime::set_threads(3);
  const auto shared = distilled({{"dimension", 6}});
  runtime::set_threads(before);
  EXPECT_EQ(alone->fingerprint(), shared->fingerprint());
}

// Created by the recipe of cs_model_create, saved, and loaded again.
TEST(StaticRecipe, IsARecipeLikeAnyOther) {
  ModelRecipe recipe;
  recipe.distilled.encoder = kEncoder;
  recipe.distilled.dimension = 7;
  recipe.distilled.max_length = 9;
  const auto model = create_model(recipe);
  EXPECT_EQ(model->dimension(), 7);
  EXPECT_EQ(model->max_length(), 9);
  const TemporaryFolder folder;
  model->save(folder / "model");
  const auto loaded = SentenceEncoder::load(folder / "model");
  EXPECT_EQ(loaded->fingerprint(), model->fingerprint());
  EXPECT_EQ(loaded->max_length(), 9);
  const Json config = read_json_file(folder / "model/config.json");
  EXPECT_EQ(config.at("model_type"), "model2vec");
  EXPECT_EQ(config.at("hidden_dim"), 7);
}

TEST(StaticRecipe, AnEncoderWhoseSumsOverflowGivesNoTable) {
  const TemporaryFolder folder(kEncoder);
  TensorMap tensors = io::read_safetensors(folder / "model.safetensors");
  int scaled = 0;
  for (auto& [name, tensor] : tensors) {
    if (name.find("output.LayerNorm.weight") == std::string::npos) continue;
    for (int64_t i = 0; i < tensor.elements(); ++i) tensor.mutable_floats()[i] = 3e38f;
    ++scaled;
  }
  ASSERT_GT(scaled, 0);
  std::filesystem::remove(folder / "model.safetensors");
  io::OutputFile file(folder / "model.safetensors");
  io::write_safetensors(file, tensors);
  file.finish();
  const auto model = SentenceEncoder::load(folder.path());
  expect_error(Status::kNumeric, "gives NaN for all of its", [&] { distill_static(*model, {}); });
}

TEST(StaticRecipe, WhatCannotBeDistilledSaysWhy) {
  expect_error(Status::kArgument, "static already",
               [] { distill_static(*distilled({{"dimension", 4}}), {}); });
  expect_error(Status::kArgument, "pooling", [] { distilled({{"pooling", "middle"}}); });
  ModelRecipe recipe;
  recipe.distilled.encoder = kEncoder + "/none";
  expect_error(Status::kNotFound, "none: no such folder", [&] { create_model(recipe); });
  expect_error(Status::kArgument, "'tokenizer' is missing", [] { create_model({}); });
}

}  // namespace
}  // namespace contrastive::model
