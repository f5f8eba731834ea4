#include <filesystem>
#include <locale>
#include <string>

#include "core/base/json.h"
#include "core/io/atomic_folder.h"
#include "core/io/model_folder.h"
#include "tests/core/io/files.h"
#include "tests/expect_error.h"

namespace contrastive::io {
namespace {

using test::edit;
using test::kModels;
using test::read_text;
using test::write_text;
using testing::HasSubstr;
using testing::Not;

void expect_same(const ModelFolder& a, const ModelFolder& b) {
  ASSERT_EQ(a.weights.size(), b.weights.size());
  for (const auto& [name, tensor] : a.weights) EXPECT_TRUE(tensor == b.weights.at(name)) << name;
  EXPECT_EQ(a.poolings, b.poolings);
  EXPECT_EQ(a.include_prompt, b.include_prompt);
  EXPECT_EQ(a.normalize, b.normalize);
  EXPECT_EQ(a.max_seq_length, b.max_seq_length);
  EXPECT_EQ(a.prompts, b.prompts);
  EXPECT_EQ(a.default_prompt_name, b.default_prompt_name);
  EXPECT_EQ(a.similarity, b.similarity);
  EXPECT_EQ(a.truncate_dim, b.truncate_dim);
  EXPECT_EQ(a.tokenizer_files, b.tokenizer_files);
  EXPECT_EQ(a.encoder.family, b.encoder.family);
  EXPECT_EQ(a.encoder.hidden_act, b.encoder.hidden_act);
  EXPECT_EQ(a.encoder.layer_norm_eps, b.encoder.layer_norm_eps);
  ASSERT_EQ(a.dense.size(), b.dense.size());
  for (size_t i = 0; i < a.dense.size(); ++i) {
    EXPECT_TRUE(a.dense[i].weight == b.dense[i].weight);
    EXPECT_EQ(a.dense[i].bias.defined(), b.dense[i].bias.defined());
    EXPECT_EQ(a.dense[i].activation, b.dense[i].activation);
    EXPECT_EQ(a.dense[i].normalizes, b.dense[i].normalizes);
  }
}

TEST(ModelFolderWrite, EveryModelComesBackAsItWas) {
  for (const char* name : {"bert_st", "bert_st_old", "bert_f16", "bert_bf16", "bert_gamma",
                           "roberta_hf", "roberta_sharded"}) {
    SCOPED_TRACE(name);
    const TemporaryFolder folder;
    ModelFolder model = read_model_folder(kModels + name);
    if (model.poolings.empty()) model.poolings = {"mean"};
    write_model_folder(folder / "saved", model);
    expect_same(model, read_model_folder(folder / "saved"));
    // Saved again over itself: the result does not depend on where the model came from.
    const std::string before = read_text(folder / "saved/model.safetensors");
    write_model_folder(folder / "saved", read_model_folder(folder / "saved"));
    EXPECT_EQ(read_text(folder / "saved/model.safetensors"), before);
  }
}

TEST(ModelFolderWrite, TheFilesAreThoseThatEverySentenceTransformersReads) {
  const TemporaryFolder folder;
  ModelFolder model = read_model_folder(kModels + "bert_st_old");
  model.dense.push_back({Tensor::filled({5, 12}, 1), Tensor(), "relu"});
  write_model_folder(folder / "saved", model);
  const Json modules = read_json_file(folder / "saved/modules.json");
  ASSERT_EQ(modules.size(), 5u);
  EXPECT_EQ(modules[0]["path"], "");
  EXPECT_EQ(modules[0]["type"], "sentence_transformers.models.Transformer");
  EXPECT_EQ(modules[3]["path"], "3_Dense");
  EXPECT_EQ(modules[4]["type"], "sentence_transformers.models.Normalize");
  const Json dense = read_json_file(folder / "saved/3_Dense/config.json");
  EXPECT_EQ(dense["bias"], false);
  EXPECT_EQ(dense["activation_function"], "torch.nn.modules.activation.ReLU");
  EXPECT_EQ(read_json_file(folder / "saved/1_Pooling/config.json")["pooling_mode_cls_token"], true);
  EXPECT_EQ(read_json_file(folder / "saved/sentence_bert_config.json")["max_seq_length"], 20);
  EXPECT_EQ(read_json_file(folder / "saved/config_sentence_transformers.json")["prompts"]["query"],
            "the red: ");
  EXPECT_TRUE(std::filesystem::is_directory(folder / "saved/4_Normalize"));
  EXPECT_THAT(read_text(folder / "saved/README.md"), HasSubstr("Maps a text to 5 numbers"));
}

TEST(ModelFolderWrite, KeysOfTheFolderAreKept) {
  const TemporaryFolder from(kModels + "bert_st"), folder;
  edit(from / "config_sentence_transformers.json", "{", R"({"truncate_dim":24,)");
  edit(from / "sentence_bert_config.json", "{",
       R"({"config_args":{"layer_norm_eps":0.5},"processing_kwargs":{"text":{"max_length":9}},)");
  ModelFolder model = read_model_folder(from.path());
  model.dense.push_back({Tensor::filled({30, 32}, 1), Tensor(), "mish", true});
  EXPECT_EQ(model.truncate_dim, 24);
  EXPECT_EQ(model.max_seq_length, 9);
  EXPECT_EQ(model.encoder.layer_norm_eps, 0.5);
  write_model_folder(folder / "saved", model);
  EXPECT_EQ(read_json_file(folder / "saved/config_sentence_transformers.json").at("truncate_dim"),
            24);
  EXPECT_EQ(read_json_file(folder / "saved/sentence_bert_config.json")
                .at("processing_kwargs")
                .at("text")
                .at("max_length"),
            9);
  EXPECT_EQ(read_json_file(folder / "saved/config.json").at("layer_norm_eps"), 0.5);
  expect_same(model, read_model_folder(folder / "saved"));
}

TEST(ModelFolderWrite, APoolingOfOurOwnSurvivesAndTheCardSaysWhatOthersUse) {
  const TemporaryFolder folder;
  ModelFolder model = read_model_folder(kModels + "bert_st");
  model.poolings = {"last2"};
  write_model_folder(folder / "saved", model);
  EXPECT_EQ(read_model_folder(folder / "saved").poolings, model.poolings);
  EXPECT_EQ(read_json_file(folder / "saved/1_Pooling/config.json")["pooling_mode_mean_tokens"],
            true);
  EXPECT_THAT(read_text(folder / "saved/README.md"),
              HasSubstr("The pooling last2 does not exist in sentence-transformers"));
  model.poolings = {"mean"};
  write_model_folder(folder / "saved", model);
  EXPECT_FALSE(std::filesystem::exists(folder / "saved/contrastive.json"));
  EXPECT_THAT(read_text(folder / "saved/README.md"), Not(HasSubstr("does not exist")));
}

TEST(ModelFolderWrite, ASaveNeedsNothingOfTheFolderItCameFrom) {
  const TemporaryFolder folder;
  std::filesystem::copy(kModels + "bert_st_old", folder / "model",
                        std::filesystem::copy_options::recursive);
  const ModelFolder model = read_model_folder(folder / "model");
  write_model_folder(folder / "model", model);  // over itself: the old layout is gone
  write_model_folder(folder / "model", model);
  std::filesystem::remove_all(folder / "model");
  write_model_folder(folder / "model", model);
  expect_same(model, read_model_folder(folder / "model"));
}

TEST(ModelFolderWrite, TheCallersOwnFilesArePartOfTheOneStep) {
  const TemporaryFolder folder;
  const ModelFolder model = read_model_folder(kModels + "bert_st");
  write_model_folder(folder / "saved", model, [](const std::string& inside) {
    write_text(inside + "/training_state/step", "7");
  });
  EXPECT_EQ(read_text(folder / "saved/training_state/step"), "7");
  const auto broken = [](const std::string&) { fail(Status::kIo, "no more"); };
  expect_error(Status::kIo, "no more",
               [&] { write_model_folder(folder / "saved", model, broken); });
  EXPECT_EQ(read_text(folder / "saved/training_state/step"), "7");
  write_model_folder(folder / "saved", model);
  EXPECT_FALSE(std::filesystem::exists(folder / "saved/training_state"));
}

TEST(ModelFolderWrite, ModelsThatCannotBeSaved) {
  const TemporaryFolder folder;
  ModelFolder plain = read_model_folder(kModels + "bert_gamma");
  expect_error(Status::kArgument, "without a pooling",
               [&] { write_model_folder(folder / "saved", plain); });
  plain.poolings = {"mean"};
  plain.weights.at("embeddings.LayerNorm.bias") = Tensor::filled({9}, 1);
  expect_error(Status::kMismatch,
               "'embeddings.LayerNorm.bias' of the model to save is [9], not [8]",
               [&] { write_model_folder(folder / "saved", plain); });
  plain.weights.erase("embeddings.LayerNorm.bias");
  expect_error(Status::kMismatch, "no tensor 'embeddings.LayerNorm.bias'",
               [&] { write_model_folder(folder / "saved", plain); });
  EXPECT_TRUE(std::filesystem::is_empty(folder.path()));
}

TEST(ModelFolderWrite, ASecondSaverIsBusy) {
  const TemporaryFolder folder;
  const AtomicFolder first(folder / "saved");
  expect_error(Status::kBusy, "is saving to this folder", [&] {
    write_model_folder(folder / "saved", read_model_folder(kModels + "bert_st"));
  });
}

struct GermanNumbers : std::numpunct<char> {
  char do_decimal_point() const override { return ','; }
  char do_thousands_sep() const override { return '.'; }
  std::string do_grouping() const override { return "\3"; }
};

TEST(ModelFolderWrite, TheHostsWayOfWritingNumbersReachesNoFile) {
  const TemporaryFolder folder;
  const ModelFolder model = read_model_folder(kModels + "bert_st");
  write_model_folder(folder / "plain", model);
  const std::locale before =
      std::locale::global(std::locale(std::locale::classic(), new GermanNumbers));
  write_model_folder(folder / "german", model);
  expect_same(model, read_model_folder(folder / "german"));
  std::locale::global(before);
  for (const char* file : {"config.json", "modules.json", "README.md", "model.safetensors",
                           "sentence_bert_config.json", "1_Pooling/config.json"}) {
    EXPECT_EQ(read_text((folder / "german/") + file), read_text((folder / "plain/") + file))
        << file;
  }
}

}  // namespace
}  // namespace contrastive::io
