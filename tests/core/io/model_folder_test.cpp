#include "core/io/model_folder.h"

#include <atomic>
#include <cmath>
#include <thread>

#include "core/base/json.h"
#include "core/io/atomic_file.h"
#include "core/io/tensor_reader.h"
#include "core/torch/tensors/tensors.h"
#include "tests/core/io/files.h"
#include "tests/expect_error.h"

namespace contrastive::io {
namespace {

using test::edit;
using test::kModels;
using test::read_text;
using test::write_text;
using testing::Contains;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::Not;

// Rewrites the weights of a folder after `change`.
void change_weights(const std::string& path, const std::function<void(TensorMap&)>& change) {
  TensorMap tensors = read_safetensors(path);
  change(tensors);
  std::filesystem::remove(path);
  OutputFile file(path);
  write_safetensors(file, tensors);
  file.finish();
}

TEST(ModelFolderRead, EveryLayoutGivesEveryWeight) {
  const std::pair<const char*, size_t> models[] = {{"bert_st", 39},        {"bert_st_old", 23},
                                                   {"bert_f16", 23},       {"bert_bf16", 23},
                                                   {"bert_gamma", 21},     {"roberta_hf", 39},
                                                   {"roberta_sharded", 23}};
  for (const auto& [name, weights] : models) {
    SCOPED_TRACE(name);
    const ModelFolder model = read_model_folder(kModels + name);
    EXPECT_EQ(model.weights.size(), weights);
    for (const auto& [key, tensor] : model.weights)
      EXPECT_EQ(tensor.type(), ElementType::kFloat32) << key;
    EXPECT_LE(model.tokenizer->vocab_size(), model.encoder.vocab_size);
    EXPECT_FALSE(model.tokenizer_files.empty());
    // The folder's tokenizer gives the same ids as the reference library.
    const Json golden = read_json_file(kModels + name + ".golden.json");
    for (size_t i = 0; i < golden["texts"].size(); ++i) {
      EXPECT_EQ(model.tokenizer->encode(golden["texts"][i].get<std::string>(), 0).ids,
                golden["ids"][i].get<std::vector<int32_t>>());
    }
  }
}

TEST(ModelFolderRead, WhatTheFolderSaysBesidesWeights) {
  const ModelFolder today = read_model_folder(kModels + "bert_st");
  EXPECT_THAT(today.poolings, ElementsAre("mean"));
  EXPECT_TRUE(today.normalize);
  EXPECT_EQ(today.max_seq_length, 24)
      << "from tokenizer_config.json, where version 5 and later keep it";
  EXPECT_EQ(today.encoder.hidden_size, 32);

  const ModelFolder old = read_model_folder(kModels + "bert_st_old/");
  EXPECT_THAT(old.poolings, ElementsAre("cls", "mean"));
  EXPECT_EQ(old.max_seq_length, 20);
  EXPECT_EQ(old.default_prompt_name, "query");
  ASSERT_EQ(old.dense.size(), 1u);
  EXPECT_EQ(old.dense[0].weight.shape(), (std::vector<int64_t>{12, 32}));
  EXPECT_EQ(old.dense[0].bias.shape(), std::vector<int64_t>{12});

  EXPECT_EQ(old.notes.at(0),
            "read from 0_Transformer/config.json, 0_Transformer/model.safetensors, modules.json, "
            "1_Pooling/config.json, 2_Dense/config.json, "
            "0_Transformer/sentence_roberta_config.json, config_sentence_transformers.json, "
            "0_Transformer/vocab.txt");

  const ModelFolder plain = read_model_folder(kModels + "roberta_hf");
  EXPECT_TRUE(plain.poolings.empty()) << "a pooling is never assumed";
  EXPECT_EQ(plain.max_seq_length, 64);
  EXPECT_EQ(plain.encoder.family, "roberta");
  EXPECT_THAT(plain.notes, Contains(HasSubstr("1 tensors of a head were ignored: lm_head.bias")));
  EXPECT_EQ(read_model_folder(kModels + "roberta_sharded").max_seq_length, 64)
      << "the tokenizer's 1e30 means no limit";
}

TEST(ModelFolderRead, OldNamesAndHalfPrecisionHoldTheSameNumbers) {
  const TensorMap raw = read_safetensors(kModels + "bert_gamma/model.safetensors");
  const ModelFolder model = read_model_folder(kModels + "bert_gamma");
  EXPECT_TRUE(model.weights.at("encoder.layer.0.output.LayerNorm.weight") ==
              raw.at("bert.encoder.layer.0.output.LayerNorm.gamma"));
  EXPECT_TRUE(model.weights.at("embeddings.LayerNorm.bias") ==
              raw.at("bert.embeddings.LayerNorm.beta"));
  // float16 and bfloat16 were rounded from the same weights.
  const TensorMap half = read_model_folder(kModels + "bert_f16").weights,
                  brain = read_model_folder(kModels + "bert_bf16").weights;
  for (const auto& [name, tensor] : half)
    EXPECT_TRUE(tensors::to_torch(tensor).allclose(tensors::to_torch(brain.at(name)), 1e-2, 1e-6))
        << name;
}

TEST(ModelFolderRead, WithoutWeightsOrMappedItIsTheSameModel) {
  ReadOptions look;
  look.load_weights = false;
  const ModelFolder looked = read_model_folder(kModels + "bert_st_old", look);
  EXPECT_TRUE(looked.weights.empty());
  EXPECT_EQ(looked.dense.size(), 1u);
  EXPECT_EQ(looked.max_seq_length, 20);
  ReadOptions map;
  map.memory_map = true;
  const ModelFolder mapped = read_model_folder(kModels + "bert_st", map),
                    read = read_model_folder(kModels + "bert_st");
  for (const auto& [name, tensor] : read.weights)
    EXPECT_TRUE(tensor == mapped.weights.at(name)) << name;
}

TEST(ModelFolderRead, PathsThatAreNoModelFolder) {
  const TemporaryFolder folder;
  expect_error(Status::kNotFound, "the folder is empty", [&] { read_model_folder(folder.path()); });
  expect_error(Status::kNotFound, "nothing is downloaded",
               [&] { read_model_folder(folder / "absent"); });
  expect_error(Status::kNotFound, "nothing is downloaded",
               [&] { read_model_folder("sentence-transformers/all-MiniLM-L6-v2"); });
  expect_error(Status::kArgument, "empty", [&] { read_model_folder(""); });
  expect_error(Status::kArgument, "NUL", [&] { read_model_folder(std::string("a\0b", 3)); });
  write_text(folder / "file", "x");
  expect_error(Status::kArgument, "a folder is needed",
               [&] { read_model_folder(folder / "file"); });
  expect_error(Status::kNotFound, "config.json", [&] { read_model_folder(folder.path()); });
  expect_error(Status::kIo, "aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa",
               [&] { read_model_folder(folder / std::string(5000, 'a')); });
}

TEST(ModelFolderRead, ConfigAndWeightsMustAgree) {
  const std::tuple<const char*, const char*, const char*> changes[] = {
      {"\"max_position_embeddings\": 40", "\"max_position_embeddings\": 512",
       "position_embeddings.weight is [40, 32] where config.json asks for [512, 32]"},
      {"\"vocab_size\": 121", "\"vocab_size\": 122", "word_embeddings.weight is [121, 32]"},
      {"\"num_hidden_layers\": 2", "\"num_hidden_layers\": 3", "missing: encoder.layer.2."},
      {"\"num_hidden_layers\": 2", "\"num_hidden_layers\": 1",
       "not part of this architecture: encoder.layer.1."},
      {"\"intermediate_size\": 24", "\"intermediate_size\": 32",
       "is [24, 32] where config.json asks for [32, 32]"},
  };
  for (const auto& [from, to, message] : changes) {
    const TemporaryFolder folder(kModels + "bert_st");
    edit(folder / "config.json", from, to);
    expect_error(Status::kMismatch, message,
                 [&, part = message] { read_model_folder(folder.path()); });
  }
  const TemporaryFolder folder(kModels + "bert_st");
  edit(folder / "config.json", "\"num_hidden_layers\": 2", "\"num_hidden_layers\": 1000000000");
  expect_error(Status::kLimit, "num_hidden_layers is 1000000000",
               [&] { read_model_folder(folder.path()); });
}

TEST(ModelFolderRead, PoolingAndDenseMustFitTheirInput) {
  const TemporaryFolder pooling(kModels + "bert_st");
  edit(pooling / "1_Pooling/config.json", "32", "384");
  expect_error(Status::kMismatch, "embeddings of width 384, but config.json says hidden_size 32",
               [&] { read_model_folder(pooling.path()); });
  const TemporaryFolder dense(kModels + "bert_st_old");
  edit(dense / "1_Pooling/config.json", "\"pooling_mode_cls_token\": true",
       "\"pooling_mode_cls_token\": false");
  expect_error(Status::kMismatch, "in_features 32, but the module before gives 16",
               [&] { read_model_folder(dense.path()); });
  const TemporaryFolder weights(kModels + "bert_st_old");
  edit(weights / "2_Dense/config.json", "\"out_features\": 12", "\"out_features\": 13");
  expect_error(Status::kMismatch, "'linear.weight' is [12, 32] where config.json asks for [13, 32]",
               [&] { read_model_folder(weights.path()); });
  const TemporaryFolder biased(kModels + "bert_st_old");
  edit(biased / "2_Dense/config.json", "\"bias\": true", "\"bias\": false");
  expect_error(Status::kMismatch, "holds 2 tensors where its config.json asks for 1",
               [&] { read_model_folder(biased.path()); });
}

TEST(ModelFolderRead, NonFiniteWeightsAreRefusedUnlessAllowed) {
  const TemporaryFolder folder(kModels + "bert_st");
  change_weights(folder / "model.safetensors", [](TensorMap& tensors) {
    tensors.at("encoder.layer.1.output.dense.bias").mutable_floats()[3] = NAN;
  });
  expect_error(Status::kNumeric, "'encoder.layer.1.output.dense.bias' has 1 values",
               [&] { read_model_folder(folder.path()); });
  ReadOptions allow;
  allow.allow_non_finite = true;
  EXPECT_EQ(read_model_folder(folder.path(), allow).weights.size(), 39u);
}

TEST(ModelFolderRead, TheVocabularyMustFitTheEmbeddings) {
  const TemporaryFolder larger(kModels + "bert_gamma"), smaller(kModels + "bert_gamma");
  write_text(larger / "vocab.txt", read_text(larger / "vocab.txt") + "extra\n");
  expect_error(Status::kMismatch, "122 tokens, the embedding matrix only 121 rows",
               [&] { read_model_folder(larger.path()); });
  const std::string text = read_text(smaller / "vocab.txt");
  write_text(smaller / "vocab.txt", text.substr(0, text.rfind('\n', text.size() - 2) + 1));
  EXPECT_THAT(read_model_folder(smaller.path()).notes,
              Contains(HasSubstr("the tokenizer has 120 tokens, the embedding matrix 121 rows")));
}

TEST(ModelFolderRead, PickleOnlyFoldersAreRefused) {
  const TemporaryFolder folder(kModels + "bert_st"), dense(kModels + "bert_st_old");
  std::filesystem::rename(folder / "model.safetensors", folder / "pytorch_model.bin");
  expect_error(Status::kUnsupported, "pickle is not read",
               [&] { read_model_folder(folder.path()); });
  std::filesystem::rename(dense / "2_Dense/model.safetensors", dense / "2_Dense/pytorch_model.bin");
  expect_error(Status::kUnsupported, "pickle is not read",
               [&] { read_model_folder(dense.path()); });
}

TEST(ModelFolderRead, LowerCasingBeforeACasedTokenizerIsRefused) {
  const TemporaryFolder uncased(kModels + "bert_st_old");
  edit(uncased / "0_Transformer/sentence_roberta_config.json", "\"do_lower_case\": false",
       "\"do_lower_case\": true");
  EXPECT_NO_THROW(read_model_folder(uncased.path()));
  edit(uncased / "0_Transformer/tokenizer_config.json", "\"do_lower_case\": true",
       "\"do_lower_case\": false");
  expect_error(Status::kUnsupported, "do_lower_case", [&] { read_model_folder(uncased.path()); });
}

// sentence-transformers reads its two files only if modules.json lists the modules.
TEST(ModelFolderRead, WithoutModulesJsonItsTwoFilesAreIgnored) {
  const TemporaryFolder folder(kModels + "bert_st");
  const ModelFolder listed = read_model_folder(folder.path());
  std::filesystem::remove(folder / "modules.json");
  write_text(folder / "sentence_bert_config.json", R"({"max_seq_length": 3})");
  write_text(folder / "config_sentence_transformers.json",
             R"({"prompts": {"a": "b"}, "truncate_dim": 4})");
  const ModelFolder plain = read_model_folder(folder.path());
  EXPECT_NE(plain.max_seq_length, 3);
  EXPECT_TRUE(plain.prompts.empty());
  EXPECT_EQ(plain.truncate_dim, 0);
  EXPECT_THAT(plain.notes,
              Contains(
                  HasSubstr("config_sentence_transformers.json is ignored without modules.json")));
  EXPECT_THAT(plain.notes,
              Contains(HasSubstr("sentence_bert_config.json is ignored without modules.json")));
  EXPECT_THAT(listed.notes, Not(Contains(HasSubstr("is ignored without"))));
}

TEST(ModelFolderRead, MoreLengthThanPositionsIsCutAndSaid) {
  const TemporaryFolder folder(kModels + "bert_st_old");
  edit(folder / "0_Transformer/sentence_roberta_config.json", "\"max_seq_length\": 20",
       "\"max_seq_length\": 512");
  const ModelFolder model = read_model_folder(folder.path());
  EXPECT_EQ(model.max_seq_length, 40);
  EXPECT_THAT(model.notes, Contains(HasSubstr("max_seq_length 512 is more than the 40 positions")));
}

TEST(ModelFolderRead, ManyThreadsMayReadAtOnce) {
  std::vector<std::thread> threads;
  std::atomic<int> good{0};
  for (int i = 0; i < 8; ++i) {
    threads.emplace_back([&] {
      for (int n = 0; n < 5; ++n)
        good += read_model_folder(kModels + "bert_st").weights.size() == 39u;
    });
  }
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(good, 40);
}

}  // namespace
}  // namespace contrastive::io
