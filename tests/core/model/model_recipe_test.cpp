#include "core/model/model_recipe.h"

#include <gtest/gtest.h>

#include "core/base/error.h"
#include "tests/expect_error.h"
#include "tests/temporary_folder.h"
#include "tests/fixtures_folder.h"

namespace contrastive::model {
namespace {

ModelRecipe small(const std::string& tokenizer = "/models/bert_st") {
  ModelRecipe recipe;
  recipe.tokenizer = fixtures() + tokenizer;
  recipe.layers = 2;
  recipe.hidden_size = 16;
  recipe.attention_heads = 2;
  recipe.max_length = 32;
  recipe.pooling = "mean";
  return recipe;
}

std::vector<float> vector_of(const SentenceEncoder& encoder, const std::string& text) {
  std::vector<float> vector(static_cast<size_t>(encoder.dimension()));
  encoder.encode({text}, {}, vector.data());
  return vector;
}

TEST(ModelRecipe, MakesAModelThatEncodesAndSurvivesASave) {
  const auto model = create_model(small());
  EXPECT_EQ(model->dimension(), 16);
  EXPECT_EQ(model->max_length(), 32);
  EXPECT_EQ(model->shape().intermediate_size, 64);
  EXPECT_EQ(model->shape().vocab_size, model->tokenizer().vocab_size());
  const TemporaryFolder folder;
  model->save(folder / "fresh");
  EXPECT_EQ(vector_of(*SentenceEncoder::load(folder / "fresh"), "a text"),
            vector_of(*model, "a text"));
}

TEST(ModelRecipe, TheSeedDecidesTheWeights) {
  ModelRecipe recipe = small();
  const std::string one = create_model(recipe)->fingerprint();
  EXPECT_EQ(create_model(recipe)->fingerprint(), one);
  recipe.seed = 2;
  EXPECT_NE(create_model(recipe)->fingerprint(), one);
}

TEST(ModelRecipe, TheFamilyGoesWithTheTokenizer) {
  EXPECT_EQ(create_model(small())->shape().family, "bert");
  const auto roberta = create_model(small("/models/roberta_hf"));
  EXPECT_EQ(roberta->shape().family, "roberta");
  EXPECT_EQ(roberta->max_length(), 32);
  EXPECT_EQ(roberta->shape().type_vocab_size, 1);
  EXPECT_EQ(roberta->shape().layer_norm_eps, 1e-5);
}

TEST(ModelRecipe, SaysWhatIsMissingOrCannotBe) {
  ModelRecipe recipe = small();
  recipe.tokenizer = "";
  expect_error(Status::kArgument, "'tokenizer'", [&] { create_model(recipe); });
  recipe = small();
  recipe.pooling = "";
  expect_error(Status::kArgument, "'pooling'", [&] { create_model(recipe); });
  recipe = small();
  recipe.family = "robreta";
  expect_error(Status::kArgument, "'robreta'", [&] {
    create_model(recipe);
  });  // it must not become a BERT because it is not a roberta
  recipe = small();
  recipe.attention_heads = 3;
  expect_error(Status::kFormat, "num_attention_heads 3", [&] { create_model(recipe); });
  recipe = small();
  recipe.pooling = "layer:7:mean";
  expect_error(Status::kArgument, "pooling 'layer:7:mean': the form is layer:k:cls",
               [&] { create_model(recipe); });
}

TEST(ModelRecipe, KeysThatAnotherModelDecidesAreRefused) {
  ModelRecipe student;
  student.student.encoder = fixtures() + "/models/bert_st";
  student.student.layers = {1};
  EXPECT_NO_THROW(create_model(student));
  ModelRecipe wrong = student;
  wrong.layers = 1;
  expect_error(Status::kArgument, "'layers' has no effect together with 'student.encoder'",
               [&] { create_model(wrong); });
  expect_error(Status::kArgument, ": set student.layers", [&] { create_model(wrong); });
  wrong = student;
  wrong.tokenizer = "absent";
  expect_error(Status::kArgument, "'tokenizer' has no effect", [&] { create_model(wrong); });
  wrong = student;
  wrong.distilled.dimension = 8;
  expect_error(Status::kArgument, "'static.encoder' is missing", [&] { create_model(wrong); });
  ModelRecipe table;
  table.distilled.encoder = student.student.encoder;
  table.distilled.dimension = 8;
  EXPECT_NO_THROW(create_model(table));
  table.pooling = "cls";
  expect_error(Status::kArgument, "'pooling' has no effect together with 'static.encoder'",
               [&] { create_model(table); });
  expect_error(Status::kArgument, ": set static.pooling", [&] { create_model(table); });
  ModelRecipe fresh = small();
  fresh.distilled.dimension = 8;
  expect_error(Status::kArgument,
               "'static.dimension' is set, but config key 'static.encoder' is missing",
               [&] { create_model(fresh); });
}

}  // namespace
}  // namespace contrastive::model
