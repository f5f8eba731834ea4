#include "core/io/weight_names.h"

#include <algorithm>
#include <deque>

#include "core/base/json.h"
#include "core/encoder/weights.h"
#include "tests/core/io/files.h"
#include "tests/expect_error.h"

namespace contrastive::io {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

encoder::Architecture small() {
  encoder::Architecture options;
  options.vocab_size = 10;
  options.hidden_size = 4;
  options.num_hidden_layers = 1;
  options.num_attention_heads = 2;
  options.intermediate_size = 6;
  options.max_position_embeddings = 8;
  return options;
}

// A checkpoint with only names and shapes, which is all that match_weights uses.
struct Checkpoint {
  std::deque<TensorEntry> entries;

  explicit Checkpoint(const encoder::Architecture& options) {
    for (const auto& [name, shape] : encoder::weight_shapes(options)) add(name, shape);
  }
  void add(const std::string& name, const std::vector<int64_t>& shape) {
    entries.push_back({name, "F32", shape, 0, 0, 0});
  }
  TensorEntry& at(const std::string& name) {
    return *std::find_if(entries.begin(), entries.end(),
                         [&](const TensorEntry& e) { return e.name == name; });
  }
  void erase(const std::string& name) {
    entries.erase(std::find_if(entries.begin(), entries.end(),
                               [&](const TensorEntry& e) { return e.name == name; }));
  }
  std::map<std::string, WeightSource> match(std::vector<std::string>* notes = nullptr,
                                            const encoder::Architecture& options = small()) const {
    std::vector<TensorSource> sources;
    for (const TensorEntry& entry : entries) sources.push_back({nullptr, &entry});
    std::vector<std::string> ignored;
    return match_weights(sources, options, "model", notes ? *notes : ignored);
  }
};

TEST(WeightNames, EveryPrefixAndOldNameInUse) {
  const std::string name = "encoder.layer.0.output.LayerNorm.";
  for (const char* prefix : {"", "bert.", "roberta.", "model.", "module.", "module.bert.",
                             "0.auto_model.", "model.roberta."}) {
    EXPECT_EQ(family_tensor_name(prefix + name + "gamma", small()), name + "weight");
    EXPECT_EQ(family_tensor_name(prefix + name + "beta", small()), name + "bias");
    EXPECT_EQ(family_tensor_name(prefix + name + "bias", small()), name + "bias");
  }
  EXPECT_EQ(family_tensor_name("cls.predictions.bias", small()), "cls.predictions.bias");
  EXPECT_EQ(family_tensor_name("bert.bert.", small()), "");
}

TEST(WeightNames, AWholeCheckpointMatchesItself) {
  std::vector<std::string> notes;
  const Checkpoint checkpoint(small());
  EXPECT_EQ(checkpoint.match(&notes).size(), 5u + 16u + 2u);
  EXPECT_TRUE(notes.empty());
}

TEST(WeightNames, HeadsAndBuffersAreIgnoredInOneSentence) {
  Checkpoint checkpoint(small());
  for (TensorEntry& entry : checkpoint.entries) entry.name = "bert." + entry.name;
  checkpoint.add("bert.embeddings.position_ids", {1, 8});
  checkpoint.add("cls.predictions.bias", {10});
  checkpoint.add("classifier.weight", {2, 4});
  std::vector<std::string> notes;
  EXPECT_EQ(checkpoint.match(&notes).size(), 23u);
  EXPECT_THAT(
      notes,
      ElementsAre(HasSubstr("23 tensors with a prefix"),
                  "2 tensors of a head were ignored: cls.predictions.bias, classifier.weight"));
}

TEST(WeightNames, AMissingPoolerIsLegalHalfOfOneIsNot) {
  Checkpoint checkpoint(small());
  checkpoint.erase("pooler.dense.bias");
  expect_error(Status::kMismatch, "missing: pooler.dense.bias", [&] { checkpoint.match(); });
  checkpoint.erase("pooler.dense.weight");
  EXPECT_EQ(checkpoint.match().size(), 21u);
}

TEST(WeightNames, MissingTensorsAreListedUpToTen) {
  Checkpoint checkpoint(small());
  encoder::Architecture deeper = small();
  deeper.num_hidden_layers = 3;
  expect_error(Status::kMismatch, "missing: encoder.layer.1.attention.self.query.weight",
               [&] { checkpoint.match(nullptr, deeper); });
  expect_error(Status::kMismatch, "and 22 more", [&] { checkpoint.match(nullptr, deeper); });
}

TEST(WeightNames, UnknownTensorsOfTheEncoderAreNoHeads) {
  Checkpoint checkpoint(small());
  checkpoint.add("encoder.layer.0.attention.self.distance_embedding.weight", {15, 2});
  expect_error(
      Status::kMismatch,
      "not part of this architecture: encoder.layer.0.attention.self.distance_embedding.weight",
      [&] { checkpoint.match(); });
  encoder::Architecture deeper = small();
  deeper.num_hidden_layers = 2;
  expect_error(Status::kMismatch, "not part of this architecture: encoder.layer.1.",
               [&] { Checkpoint(deeper).match(); });
}

TEST(WeightNames, WrongShapesAreShownBesideTheRightOnes) {
  Checkpoint turned(small());
  turned.at("encoder.layer.0.intermediate.dense.weight").shape = {4, 6};
  expect_error(
      Status::kMismatch,
      "encoder.layer.0.intermediate.dense.weight is [4, 6] where config.json asks for [6, 4]",
      [&] { turned.match(); });
  Checkpoint vocabulary(small());
  vocabulary.at("embeddings.word_embeddings.weight").shape = {11, 4};
  expect_error(Status::kMismatch,
               "word_embeddings.weight is [11, 4] where config.json asks for [10, 4]",
               [&] { vocabulary.match(); });
  Checkpoint positions(small());
  positions.at("embeddings.position_embeddings.weight").shape = {512, 4};
  expect_error(Status::kMismatch,
               "position_embeddings.weight is [512, 4] where config.json asks for [8, 4]",
               [&] { positions.match(); });
}

TEST(WeightNames, AWeightUnderTwoNamesIsRefused) {
  Checkpoint checkpoint(small());
  checkpoint.add("bert.embeddings.LayerNorm.gamma", {4});
  expect_error(
      Status::kFormat,
      "appears twice, as embeddings.LayerNorm.weight and as bert.embeddings.LayerNorm.gamma",
      [&] { checkpoint.match(); });
}

}  // namespace
}  // namespace contrastive::io
