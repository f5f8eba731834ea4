#include "core/io/adapter.h"

#include "core/base/json.h"
#include "core/io/atomic_file.h"
#include "core/io/model_folder.h"
#include "core/io/safetensors.h"
#include "core/io/tensor_reader.h"
#include "tests/core/io/files.h"
#include "tests/expect_error.h"
#include "tests/fixtures_folder.h"

namespace contrastive::io {
namespace {

using test::kModels;
using testing::ElementsAre;
using testing::HasSubstr;

const std::string kPeftFolder = fixtures() + "/../golden/lora/adapter";

encoder::Architecture shape() { return read_model_shape(kModels + "bert_st"); }

Tensor counted(std::vector<int64_t> size, float first) {
  Tensor tensor(std::move(size));
  for (int64_t i = 0; i < tensor.elements(); ++i)
    tensor.mutable_floats()[i] = first + 0.25f * static_cast<float>(i % 7);
  return tensor;
}

Adapter sample(const std::vector<std::string>& targets = {"query", "output"}) {
  Adapter adapter;
  adapter.rank = 2;
  adapter.alpha = 5;
  adapter.dropout = 0.125;
  adapter.base = "somebody/base";
  for (const AdapterPlace& place : adapter_targets(shape(), targets))
    adapter.modules.push_back({place, counted({2, place.in}, -1), counted({place.out, 2}, 0.5)});
  return adapter;
}

void write(const TemporaryFolder& folder, const Adapter& adapter) {
  write_adapter(folder.path(), adapter, shape());
}

// Writes the file of a sample again, with changed tensors.
template <class Change>
void change_tensors(const TemporaryFolder& folder, const Change& change) {
  TensorMap tensors = read_safetensors(folder / "adapter_model.safetensors");
  change(tensors);
  std::filesystem::remove(folder / "adapter_model.safetensors");
  OutputFile file(folder / "adapter_model.safetensors");
  write_safetensors(file, tensors);
  file.finish();
}

void set_key(const TemporaryFolder& folder, const char* key, const Json& value) {
  Json config = read_json_file(folder / "adapter_config.json");
  config[key] = value;
  test::write_text(folder / "adapter_config.json", config.dump());
}

const std::string kQuery = "base_model.model.encoder.layer.0.attention.self.query.";

TEST(Adapter, ComesBackAsItWasWritten) {
  const TemporaryFolder folder;
  Adapter written = sample();
  written.rank_stabilized = true;
  written.base_digest = "abc";
  write(folder, written);
  const Adapter read = read_adapter(folder.path(), shape());
  EXPECT_EQ(read.rank, 2);
  EXPECT_EQ(read.alpha, 5);
  EXPECT_EQ(read.dropout, 0.125);
  EXPECT_TRUE(read.rank_stabilized);
  EXPECT_DOUBLE_EQ(read.scale(), 5 / std::sqrt(2.0));
  EXPECT_EQ(read.base, "somebody/base");
  EXPECT_EQ(read.base_digest, "abc");
  ASSERT_EQ(read.modules.size(), written.modules.size());
  for (size_t i = 0; i < read.modules.size(); ++i) {
    EXPECT_EQ(read.modules[i].place.module, written.modules[i].place.module);
    EXPECT_TRUE(read.modules[i].a == written.modules[i].a &&
                read.modules[i].b == written.modules[i].b)
        << i;
  }
}

// The same keys and tensors as peft's save_pretrained wrote, except for keys that only peft can
// know, and the order of a set.
TEST(Adapter, IsWrittenAsPeftWritesIt) {
  const Adapter from_peft = read_adapter(kPeftFolder, shape());
  const TemporaryFolder folder;
  write(folder, from_peft);
  Json ours = read_json_file(folder / "adapter_config.json"),
       theirs = read_json_file(kPeftFolder + "/adapter_config.json");
  EXPECT_THAT(ours.at("target_modules").get<std::vector<std::string>>(),
              ElementsAre("query", "value"));
  EXPECT_THAT(theirs.at("target_modules").get<std::vector<std::string>>(),
              testing::UnorderedElementsAre("query", "value"));
  for (Json* config : {&ours, &theirs}) {
    for (const char* key :
         {"target_modules", "auto_mapping", "base_model_name_or_path", "inference_mode"})
      config->erase(key);
  }
  ASSERT_EQ(ours.size(), theirs.size());
  for (const auto& [key, value] : theirs.items()) EXPECT_EQ(ours.at(key), value) << key;
  const TensorMap tensors = read_safetensors(folder / "adapter_model.safetensors"),
                  golden = read_safetensors(kPeftFolder + "/adapter_model.safetensors");
  ASSERT_EQ(tensors.size(), golden.size());
  for (const auto& [name, tensor] : golden) EXPECT_TRUE(tensor == tensors.at(name)) << name;
}

TEST(Adapter, NamesOfAModelWithAHeadAreTaken) {
  const TemporaryFolder folder;
  write(folder, sample({"query"}));
  change_tensors(folder, [](TensorMap& tensors) {
    TensorMap renamed;
    for (const auto& [name, tensor] : tensors)
      renamed["base_model.model.bert." + name.substr(std::string("base_model.model.").size())] =
          tensor;
    tensors = renamed;
  });
  EXPECT_EQ(read_adapter(folder.path(), shape()).modules.size(),
            static_cast<size_t>(shape().num_hidden_layers));
}

TEST(Adapter, WhatIsNoPlainAdapterIsRefusedByItsKey) {
  for (const auto& [key, value] :
       std::vector<std::pair<std::string, Json>>{{"peft_type", "IA3"},
                                                 {"bias", "all"},
                                                 {"use_dora", true},
                                                 {"use_qalora", true},
                                                 {"lora_bias", true},
                                                 {"fan_in_fan_out", true},
                                                 {"init_lora_weights", "pissa"},
                                                 {"init_lora_weights", "loftq"},
                                                 {"rank_pattern", {{"query", 4}}},
                                                 {"alpha_pattern", {{"query", 4}}},
                                                 {"modules_to_save", {"pooler"}},
                                                 {"layer_replication", {{0, 1}}},
                                                 {"trainable_token_indices", {3}},
                                                 {"target_parameters", {"x"}},
                                                 {"a_key_of_the_future", 1}}) {
    const TemporaryFolder folder;
    write(folder, sample());
    Json config = read_json_file(folder / "adapter_config.json");
    config[key] = value;
    folder.write("adapter_config.json", config.dump());
    expect_error(Status::kUnsupported, key, [&] { read_adapter(folder.path(), shape()); });
  }
  const TemporaryFolder folder;
  write(folder, sample());
  Json config = read_json_file(folder / "adapter_config.json");
  config["init_lora_weights"] = "gaussian";  // its initialisation does not matter
  config["a_key_of_the_future"] = nullptr;
  folder.write("adapter_config.json", config.dump());
  EXPECT_EQ(read_adapter(folder.path(), shape()).rank, 2);
  config["r"] = 0;
  folder.write("adapter_config.json", config.dump());
  expect_error(Status::kFormat, "adapter_config.json: r must be a whole number",
               [&] { read_adapter(folder.path(), shape()); });
}

TEST(Adapter, OneForAnotherModelIsRefused) {
  const TemporaryFolder folder;
  write(folder, sample());
  encoder::Architecture wider = shape(), shorter = shape();
  wider.hidden_size *= 2;
  shorter.num_hidden_layers = 1;
  expect_error(Status::kMismatch, "made for another", [&] { read_adapter(folder.path(), wider); });
  expect_error(Status::kMismatch, "encoder.layer.1", [&] { read_adapter(folder.path(), shorter); });
  expect_error(Status::kNotFound, "adapter_config.json",
               [&] { read_adapter(folder / "none", shape()); });
  change_tensors(folder, [](TensorMap& tensors) { tensors.erase(kQuery + "lora_B.weight"); });
  expect_error(Status::kMismatch, "no lora_B", [&] { read_adapter(folder.path(), shape()); });
  change_tensors(folder, [](TensorMap& tensors) {
    tensors[kQuery + "lora_B.weight"] = counted({32, 3}, 0);
  });
  expect_error(Status::kMismatch, "r = 2", [&] { read_adapter(folder.path(), shape()); });
  change_tensors(folder, [](TensorMap& tensors) {
    tensors[kQuery + "lora_B.weight"] = counted({32, 2}, 0);
    tensors[kQuery + "lora_magnitude_vector"] = counted({2}, 0);
  });
  expect_error(Status::kUnsupported, "lora_magnitude_vector",
               [&] { read_adapter(folder.path(), shape()); });
}

TEST(Adapter, OneOfTheClassificationHeadIsNamed) {
  const TemporaryFolder folder;
  write(folder, sample());
  change_tensors(folder, [](TensorMap& tensors) {
    tensors["base_model.model.classifier.lora_A.weight"] = counted({2, 32}, 0);
  });
  expect_error(Status::kUnsupported, "adapts the classification head",
               [&] { read_adapter(folder.path(), shape()); });
}

TEST(Adapter, IsMergedWhileAModelIsRead) {
  const TemporaryFolder folder;
  Adapter adapter = sample({"value"});
  const ModelFolder plain = read_model_folder(kModels + "bert_st");
  adapter.base_digest = adapter_base_digest(adapter_targets(shape(), {"value"}), plain.weights);
  write(folder, adapter);
  ReadOptions options;
  options.adapter = folder.path() + "/";
  const ModelFolder merged = read_model_folder(kModels + "bert_st", options);
  size_t changed = 0;
  for (const auto& [name, before] : plain.weights) {
    const Tensor& now = merged.weights.at(name);
    if (name.find("self.value.weight") == std::string::npos) {
      EXPECT_TRUE(now == before) << name;
      continue;
    }
    const Adapter::Module& module = adapter.modules.at(changed++);
    for (int64_t row = 0; row < now.size(0); ++row) {
      for (int64_t i = 0; i < now.size(1); ++i) {
        double sum = 0;
        for (int64_t k = 0; k < 2; ++k)
          sum += static_cast<double>(module.b.floats()[row * 2 + k]) *
                 module.a.floats()[k * now.size(1) + i];
        EXPECT_NEAR(now.floats()[row * now.size(1) + i],
                    before.floats()[row * now.size(1) + i] + 2.5 * sum, 1e-5);
      }
    }
  }
  EXPECT_EQ(changed, adapter.modules.size());
  EXPECT_THAT(merged.notes, testing::Contains(HasSubstr("is merged into the weights: rank 2")));
  // Applied to other weights than it was trained on, such as those that already contain it.
  TensorMap again = merged.weights;
  expect_error(Status::kMismatch, "other weights", [&] { merge_adapter(adapter, again, "there"); });
}

// A save writes the adapter in addition to the merged weights; the folder can be overwritten.
TEST(Adapter, LiesBesideTheWeightsOfASavedModel) {
  const TemporaryFolder folder;
  ModelFolder model = read_model_folder(kModels + "bert_st");
  model.adapter = std::make_shared<const Adapter>(sample());
  write_model_folder(folder / "model", model);
  EXPECT_EQ(read_adapter(folder / "model/adapter", shape()).modules.size(),
            model.adapter->modules.size());
  const ModelFolder back = read_model_folder(folder / "model");
  EXPECT_EQ(back.adapter, nullptr);
  for (const auto& [name, tensor] : model.weights)
    EXPECT_TRUE(back.weights.at(name) == tensor) << name;
  write_model_folder(folder / "model", back);
  EXPECT_FALSE(std::filesystem::exists(folder / "model/adapter"));
}

// As in transformers, an adapter in the folder of a complete model belongs to that model.
TEST(Adapter, OneBesideTheWeightsIsMerged) {
  const TemporaryFolder folder(kModels + "bert_st"), apart;
  write(folder, sample());
  write(apart, sample());
  ReadOptions options;
  options.adapter = apart.path();
  const ModelFolder merged = read_model_folder(kModels + "bert_st", options),
                    beside = read_model_folder(folder.path());
  for (const auto& [name, tensor] : merged.weights)
    EXPECT_TRUE(beside.weights.at(name) == tensor) << name;
  EXPECT_THAT(beside.notes, testing::Contains(HasSubstr("is merged into the weights: rank 2")));
  options.adapter = folder.path() + "/";  // applied once, even if it is also named
  EXPECT_TRUE(read_model_folder(folder.path(), options).weights == merged.weights);
  expect_error(Status::kNotFound, "holds an adapter and no model",
               [&] { read_model_folder(apart.path()); });
}

// peft ignores these modules, even if there are tensors for them.
TEST(Adapter, ATensorOfAModuleThatIsNotChosenIsRefused) {
  const std::vector<std::pair<const char*, Json>> keys = {{"target_modules", {"query"}},
                                                          {"exclude_modules", {"query"}},
                                                          {"exclude_modules", "query"},
                                                          {"layers_to_transform", 0},
                                                          {"layers_to_transform", {0}}};
  for (const auto& [key, value] : keys) {
    const TemporaryFolder folder;
    write(folder, sample());
    set_key(folder, key, value);
    expect_error(Status::kUnsupported, key, [&] { read_adapter(folder.path(), shape()); });
  }
  const TemporaryFolder folder;
  write(folder, sample());
  set_key(folder, "layers_to_transform", {0, 1});
  read_adapter(folder.path(), shape());
}

TEST(Adapter, MayStandBesideThePooler) {
  const TemporaryFolder folder;
  write(folder, sample());
  change_tensors(folder, [&](TensorMap& tensors) {
    tensors["base_model.model.pooler.dense.lora_A.weight"] = counted({2, 32}, -1);
    tensors["base_model.model.pooler.dense.lora_B.weight"] = counted({32, 2}, 0.5);
  });
  set_key(folder, "target_modules", {"query", "dense"});
  const Adapter adapter = read_adapter(folder.path(), shape());
  EXPECT_EQ(adapter.modules.back().place.module, "pooler.dense");
  TensorMap weights = read_model_folder(kModels + "bert_st").weights;
  weights["pooler.dense.weight"] = Tensor::filled({32, 32}, 0);
  TensorMap without = weights;
  without.erase("pooler.dense.weight");
  merge_adapter(adapter, weights, "here");
  EXPECT_TRUE(weights.at("pooler.dense.weight") ==
              low_rank_product(adapter.modules.back(), 0, adapter.scale()));
  merge_adapter(adapter, without, "a checkpoint without a pooler");
}

TEST(Adapter, OneThatMakesInfiniteWeightsIsRefused) {
  const TemporaryFolder folder;
  write(folder, sample());
  change_tensors(folder, [](TensorMap& tensors) {
    tensors[kQuery + "lora_A.weight"] = Tensor::filled({2, shape().hidden_size}, 3e38f);
  });
  ReadOptions options;
  options.adapter = folder.path();
  expect_error(Status::kNumeric,
               "'encoder.layer.0.attention.self.query.weight' is no longer finite",
               [&] { read_model_folder(kModels + "bert_st", options); });
}

}  // namespace
}  // namespace contrastive::io
