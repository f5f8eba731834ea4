// The head of a masked language model in a checkpoint: found under each of its names, and written
// so that transformers can read it.

#include "core/io/atomic_file.h"
#include "core/io/model_folder.h"
#include "core/io/tensor_reader.h"
#include "core/torch/nn/mlm_head.h"
#include "tests/core/io/files.h"

namespace contrastive::io {
namespace {

using test::edit;
using test::kModels;
using testing::Contains;
using testing::HasSubstr;

// A copy of a model whose weight file also has the tensors `more`, with the encoder's tensors under
// `prefix`.
void add_tensors(const std::string& folder, const std::string& prefix, const TensorMap& more) {
  TensorMap all = more;
  for (const auto& [name, tensor] : read_safetensors(folder + "/model.safetensors"))
    all[prefix + name] = tensor.clone();
  std::filesystem::remove(folder + "/model.safetensors");
  OutputFile file(folder + "/model.safetensors");
  write_safetensors(file, all);
  file.finish();
}

// A head whose tensors all have different values.
TensorMap some_head(const encoder::Architecture& options) {
  TensorMap head;
  for (const auto& [name, shape] : encoder::mlm_head_shapes(options))
    head[name] = Tensor::filled(shape, static_cast<float>(head.size() + 1));
  return head;
}

TEST(MlmHeadInAFolder, IsFoundUnderOldNamesAndAliases) {
  const TemporaryFolder folder(kModels + "bert_st");
  const auto options = read_model_folder(folder.path()).encoder;
  EXPECT_TRUE(read_model_folder(folder.path()).mlm_head.empty());
  TensorMap head = some_head(options), old = head;
  old.erase("cls.predictions.transform.LayerNorm.weight");
  old.erase("cls.predictions.bias");
  old["cls.predictions.transform.LayerNorm.gamma"] =
      head.at("cls.predictions.transform.LayerNorm.weight");
  old["cls.predictions.decoder.bias"] = head.at("cls.predictions.bias");
  add_tensors(folder.path(), "bert.", old);
  const ModelFolder model = read_model_folder(folder.path());
  ASSERT_EQ(model.mlm_head.size(), head.size());
  for (const auto& [name, tensor] : head) EXPECT_TRUE(model.mlm_head.at(name) == tensor) << name;
}

TEST(MlmHeadInAFolder, ComesBackFromTheFolderThatIsWritten) {
  for (const char* name : {"bert_st", "roberta_hf"}) {
    const TemporaryFolder folder;
    ModelFolder model = read_model_folder(kModels + name);
    model.poolings = {"mean"};
    model.mlm_head = some_head(model.encoder);
    write_model_folder(folder / "saved", model);
    const TensorMap raw = read_safetensors(folder / "saved/model.safetensors");
    const std::string prefix = model.encoder.family == "roberta" ? "roberta." : "bert.";
    EXPECT_EQ(raw.count(prefix + "embeddings.word_embeddings.weight"), 1u);
    EXPECT_EQ(raw.size(), model.weights.size() + model.mlm_head.size());
    const ModelFolder back = read_model_folder(folder / "saved");
    EXPECT_EQ(back.config.at("architectures").dump(),
              prefix == "bert." ? R"(["BertForMaskedLM"])" : R"(["RobertaForMaskedLM"])");
    for (const auto& [part, tensor] : model.weights)
      EXPECT_TRUE(back.weights.at(part) == tensor) << part;
    for (const auto& [part, tensor] : model.mlm_head)
      EXPECT_TRUE(back.mlm_head.at(part) == tensor) << part;
  }
}

TEST(MlmHeadInAFolder, IsLeftOutWithANoteWhereItIsNotWholeOrNotTied) {
  TensorMap head = some_head(read_model_folder(kModels + "bert_st").encoder);
  {
    const TemporaryFolder folder(kModels + "bert_st");
    TensorMap part = head;
    part.erase("cls.predictions.transform.dense.bias");
    add_tensors(folder.path(), "", part);
    const ModelFolder model = read_model_folder(folder.path());
    EXPECT_TRUE(model.mlm_head.empty());
    EXPECT_THAT(model.notes,
                Contains(HasSubstr("left out: cls.predictions.transform.dense.bias is missing")));
  }
  {
    const TemporaryFolder folder(kModels + "bert_st");
    TensorMap wrong = head;
    wrong["cls.predictions.bias"] = Tensor::filled({3}, 1);
    add_tensors(folder.path(), "", wrong);
    EXPECT_THAT(read_model_folder(folder.path()).notes,
                Contains(HasSubstr("cls.predictions.bias is [3] and not [")));
  }
  const TemporaryFolder folder(kModels + "bert_st");
  edit(folder / "config.json", "\"tie_word_embeddings\": true", "\"tie_word_embeddings\": false");
  add_tensors(folder.path(), "", head);
  EXPECT_TRUE(read_model_folder(folder.path()).mlm_head.empty());
}

}  // namespace
}  // namespace contrastive::io
