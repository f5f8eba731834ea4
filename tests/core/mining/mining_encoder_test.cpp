#include "core/mining/mining_encoder.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/core/mining/tables.h"
#include "tests/fixtures_folder.h"

namespace contrastive::mining {
namespace {

std::vector<float> vector_of(const NamedEncoder& encoder, const std::string& text) {
  std::vector<float> vector(static_cast<size_t>(encoder.encoder.dimension));
  encoder.encoder.encode({text}, vector.data());
  return vector;
}

std::shared_ptr<model::SentenceEncoder> tiny() {
  return model::SentenceEncoder::load(fixtures() + "/models/bert_st");
}

TEST(MiningEncoder, TakesTheModelsOwnPromptsForQueriesAndDocuments) {
  const auto plain = tiny(), prompted = tiny();
  prompted->set_prompts({{"query", "what is "}, {"passage", "it is "}, {"corpus", "none"}});
  const eval::EncodeKeys keys;
  const MiningEncoder encoder = make_mining_encoder(*prompted, "model", keys, "", "", nullptr);
  EXPECT_THAT(encoder.queries.identity, ::testing::HasSubstr("what is "));
  EXPECT_THAT(encoder.documents.identity, ::testing::HasSubstr("it is "));
  const MiningEncoder without = make_mining_encoder(*plain, "model", keys, "", "", nullptr);
  EXPECT_EQ(without.queries.identity, without.documents.identity);
  EXPECT_EQ(vector_of(encoder.queries, "a fox"), vector_of(without.queries, "what is a fox"));
  EXPECT_EQ(vector_of(encoder.documents, "a fox"), vector_of(without.documents, "it is a fox"));
  const MiningEncoder given = make_mining_encoder(*prompted, "model", keys, "q: ", "d: ", nullptr);
  EXPECT_EQ(vector_of(given.queries, "a fox"), vector_of(without.queries, "q: a fox"));
  EXPECT_EQ(vector_of(given.documents, "a fox"), vector_of(without.documents, "d: a fox"));
  eval::EncodeKeys named;
  named.prompt_name = "corpus";
  EXPECT_THAT(make_mining_encoder(*prompted, "model", named, "", "", nullptr).queries.identity,
              ::testing::HasSubstr("prompt none"));
}

TEST(MiningEncoder, VectorsHaveLengthOneAndTheirIdentitySaysHow) {
  const auto model = tiny();
  eval::EncodeKeys keys, cut;
  cut.truncate_dim = 4;
  const MiningEncoder encoder = make_mining_encoder(*model, "model", keys, "", "", nullptr);
  double squares = 0;
  for (const float x : vector_of(encoder.documents, "a fox")) squares += static_cast<double>(x) * x;
  EXPECT_NEAR(squares, 1, 1e-5);
  EXPECT_NE(encoder.identity, make_mining_encoder(*model, "model", cut, "", "", nullptr).identity);
  EXPECT_NE(encoder.identity, make_mining_encoder(*model, "other", keys, "", "", nullptr).identity);
}

}  // namespace
}  // namespace contrastive::mining
