#include "core/io/adapter_paths.h"

#include <set>

#include "core/io/model_folder.h"
#include "tests/core/io/files.h"
#include "tests/expect_error.h"
#include "tests/fixtures_folder.h"

namespace contrastive::io {
namespace {

using testing::ElementsAre;

encoder::Architecture shape_of(const std::string& family) {
  return read_model_shape(fixtures() + "/families/" + family);
}

std::vector<std::string> modules(const std::vector<AdapterPlace>& places, size_t most = 100) {
  std::vector<std::string> names;
  for (const AdapterPlace& place : places) {
    if (names.size() < most) names.push_back(place.module);
  }
  return names;
}

std::vector<std::string> chosen(const std::string& family, const std::vector<std::string>& targets,
                                size_t most) {
  return modules(adapter_targets(shape_of(family), targets), most);
}

TEST(AdapterPaths, EveryFamilysModulesUnderTheirOwnNames) {
  EXPECT_THAT(modules(adapter_places(shape_of("bert")), 6),
              ElementsAre("encoder.layer.0.attention.self.query",
                          "encoder.layer.0.attention.self.key",
                          "encoder.layer.0.attention.self.value",
                          "encoder.layer.0.attention.output.dense",
                          "encoder.layer.0.intermediate.dense", "encoder.layer.0.output.dense"));
  EXPECT_THAT(chosen("distilbert", {"query", "value"}, 2),
              ElementsAre("transformer.layer.0.attention.q_lin",
                          "transformer.layer.0.attention.v_lin"));
  EXPECT_THAT(chosen("qwen3", {"ffn"}, 3),
              ElementsAre("layers.0.mlp.gate_proj", "layers.0.mlp.up_proj",
                          "layers.0.mlp.down_proj"));
  EXPECT_THAT(chosen("t5", {"q", "output"}, 2),
              ElementsAre("encoder.block.0.layer.0.SelfAttention.q",
                          "encoder.block.0.layer.0.SelfAttention.o"));
  EXPECT_THAT(chosen("albert", {"all"}, 1),
              ElementsAre("encoder.albert_layer_groups.0.albert_layers.0.attention.query"));
}

// If a checkpoint has one matrix for several of the encoder's, the adapter applies to the whole
// matrix.
TEST(AdapterPaths, AModuleThatHoldsSeveralWeightsIsTakenWhole) {
  const std::vector<AdapterPlace> places = adapter_targets(shape_of("modernbert"), {"value"});
  ASSERT_EQ(places.size(), static_cast<size_t>(shape_of("modernbert").num_hidden_layers));
  EXPECT_EQ(places[0].module, "layers.0.attn.Wqkv");
  EXPECT_THAT(places[0].weights, ElementsAre("encoder.layer.0.attention.self.query.weight",
                                             "encoder.layer.0.attention.self.key.weight",
                                             "encoder.layer.0.attention.self.value.weight"));
  EXPECT_EQ(places[0].out, 3 * places[0].rows[0]);
  EXPECT_THAT(chosen("modernbert", {"ffn"}, 2), ElementsAre("layers.0.mlp.Wi", "layers.0.mlp.Wo"));
}

TEST(AdapterPaths, EveryWeightOfALayerHasOnePlace) {
  for (const char* family : {"bert", "roberta", "mpnet", "distilbert", "albert_groups",
                             "nomic_bert", "gte", "modernbert", "qwen3", "gemma3", "t5_gated"}) {
    const encoder::Architecture shape = shape_of(family);
    std::set<std::string> seen;
    for (const AdapterPlace& place : adapter_places(shape)) {
      for (const std::string& weight : place.weights)
        EXPECT_TRUE(seen.insert(weight).second) << family << " " << weight;
    }
    EXPECT_EQ(seen.size(), static_cast<size_t>(shape.weight_set_count() * (shape.gated ? 7 : 6)))
        << family;
  }
}

TEST(AdapterPaths, NamesEndAsPeftHasThem) {
  const encoder::Architecture shape = shape_of("bert");
  const auto layers = static_cast<size_t>(shape.num_hidden_layers);
  EXPECT_EQ(adapter_targets(shape, {"output.dense"}).size(), 2 * layers)
      << "attention.output.dense has the same ending";
  EXPECT_EQ(adapter_targets(shape, {"attention.output.dense"}).size(), layers);
  EXPECT_EQ(adapter_targets(shape, {"dense"}).size(), 3 * layers);
  EXPECT_EQ(adapter_targets(shape, {"encoder.layer.1.attention.self.key"}).size(), 1u);
  EXPECT_EQ(adapter_targets(shape, {"query", "query", "attention.self.query"}).size(), layers);
  expect_error(Status::kArgument, "did you mean 'query'",
               [&] { adapter_targets(shape, {"value", "querry"}); });
  expect_error(Status::kArgument, "'ense'", [&] { adapter_targets(shape, {"ense"}); });
  expect_error(Status::kArgument, "q_lin",
               [&] { adapter_targets(shape_of("distilbert"), {"q_proj"}); });
}

// The written config must make peft select exactly these modules, and not the pooler, whose name
// also ends in "dense".
TEST(AdapterPaths, TargetModulesNameTheseAndNoOthers) {
  const auto written = [](const std::string& family, const std::vector<std::string>& targets) {
    return peft_target_modules(shape_of(family), adapter_targets(shape_of(family), targets));
  };
  EXPECT_THAT(written("bert", {"query", "value"}), ElementsAre("query", "value"));
  EXPECT_THAT(written("bert", {"output"}), ElementsAre("attention.output.dense"));
  EXPECT_THAT(written("bert", {"intermediate.dense"}), ElementsAre("intermediate.dense"));
  EXPECT_THAT(written("modernbert", {"ffn"}), ElementsAre("Wi", "mlp.Wo"));
  const encoder::Architecture shape = shape_of("bert");
  const std::vector<std::string> ffn = written("bert", {"ffn"});
  for (const AdapterPlace& place : adapter_places(shape)) {
    const bool wanted = place.module.find("attention") == std::string::npos;
    bool found = false;
    for (const std::string& target : ffn) {
      found = found || place.module == target ||
              (place.module.size() > target.size() &&
               place.module.substr(place.module.size() - target.size() - 1) == "." + target);
    }
    EXPECT_EQ(found, wanted) << place.module;
  }
}

}  // namespace
}  // namespace contrastive::io
