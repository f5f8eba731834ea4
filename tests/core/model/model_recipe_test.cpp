#include "core/model/model_recipe.h"

#include <gtest/gtest.h>

#include "core/base/error.h"
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
  const auto message = [](ModelRecipe recipe) -> std::string {
    try {
      create_model(recipe);
    } catch (const Error& error) {
      return error.what();
    }
    return "";
  };
  ModelRecipe recipe = small();
  recipe.tokenizer = "";
  EXPECT_NE(message(recipe).find("'tokenizer'"), std::string::npos);
  recipe = small();
  recipe.pooling = "";
  EXPECT_NE(message(recipe).find("'pooling'"), std::string::npos);
  recipe = small();
  recipe.family = "robreta";
  EXPECT_NE(message(recipe).find("'robreta'"), std::string::npos)
      << "it must not become a BERT because it is not a roberta";
  recipe = small();
  recipe.attention_heads = 3;
  EXPECT_NE(message(recipe).find("num_attention_heads 3"), std::string::npos) << message(recipe);
  recipe = small();
  recipe.pooling = "layer:7:mean";
  EXPECT_FALSE(message(recipe).empty());
}

TEST(ModelRecipe, KeysThatAnotherModelDecidesAreRefused) {
  const auto message = [](const ModelRecipe& recipe) -> std::string {
    try {
      create_model(recipe);
    } catch (const Error& error) {
      EXPECT_EQ(error.status(), Status::kArgument);
      return error.message();
    }
    return "";
  };
  ModelRecipe student;
  student.student.encoder = fixtures() + "/models/bert_st";
  student.student.layers = {1};
  EXPECT_EQ(message(student), "");
  ModelRecipe wrong = student;
  wrong.layers = 1;
  EXPECT_NE(message(wrong).find("'layers' has no effect together with 'student.encoder'"),
            std::string::npos)
      << message(wrong);
  EXPECT_NE(message(wrong).find(": set student.layers"), std::string::npos);
  wrong = student;
  wrong.tokenizer = "absent";
  EXPECT_NE(message(wrong).find("'tokenizer' has no effect"), std::string::npos);
  wrong = student;
  wrong.distilled.dimension = 8;
  EXPECT_NE(message(wrong).find("'static.encoder' is missing"), std::string::npos);
  ModelRecipe table;
  table.distilled.encoder = student.student.encoder;
  table.distilled.dimension = 8;
  EXPECT_EQ(message(table), "");
  table.pooling = "cls";
  EXPECT_NE(message(table).find("'pooling' has no effect together with 'static.encoder'"),
            std::string::npos);
  EXPECT_NE(message(table).find(": set static.pooling"), std::string::npos);
  ModelRecipe fresh = small();
  fresh.distilled.dimension = 8;
  EXPECT_NE(message(fresh).find(
                "'static.dimension' is set, but config key 'static.encoder' is missing"),
            std::string::npos);
}

}  // namespace
}  // namespace contrastive::model
