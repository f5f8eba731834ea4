#include "core/io/sentence_config.h"

#include "tests/core/io/files.h"
#include "tests/expect_error.h"

namespace contrastive::io {
namespace {

using test::write_text;
using testing::HasSubstr;

SentenceConfig sentence_of(const std::string& json, const char* task = "feature-extraction",
                           std::vector<std::string>* notes = nullptr) {
  const TemporaryFolder folder;
  write_text(folder / "sentence_bert_config.json", json);
  std::vector<std::string> ignored;
  return read_sentence_config(folder.path(), notes == nullptr ? ignored : *notes, task);
}

void expect_refused(const std::string& part, const std::string& json,
                    const char* task = "feature-extraction") {
  SCOPED_TRACE(json);
  expect_error(Status::kUnsupported, part, [&] { sentence_of(json, task); });
}

TEST(SentenceConfig, ByEveryOldFileName) {
  std::vector<std::string> notes;
  for (const char* name : {"bert", "roberta", "distilbert", "xlm-roberta"}) {
    const TemporaryFolder folder;
    write_text(folder / ("sentence_" + std::string(name) + "_config.json"),
               R"({"max_seq_length":77,"do_lower_case":true})");
    const SentenceConfig config = read_sentence_config(folder.path(), notes);
    EXPECT_EQ(config.max_seq_length, 77);
    EXPECT_TRUE(config.do_lower_case);
  }
  const TemporaryFolder folder;
  EXPECT_EQ(read_sentence_config(folder.path(), notes).max_seq_length, 0);
  EXPECT_EQ(sentence_of(R"({"max_seq_length":null})").max_seq_length, 0);
  expect_error(Status::kFormat, "max_seq_length must be a whole number from 1",
               [&] { sentence_of(R"({"max_seq_length":0})"); });
}

// As in sentence-transformers, the common processing options have priority over those of texts,
// then come the tokenizer's, then max_seq_length.
TEST(SentenceConfig, TheLengthIsOfTheKeyThatIsAppliedLast) {
  std::string keys = R"("max_seq_length":50)";
  const auto length = [&] { return sentence_of("{" + keys + "}").max_seq_length; };
  EXPECT_EQ(length(), 50);
  keys += R"(,"tokenizer_args":{"model_max_length":40,"use_fast":true,"cache_dir":null})";
  EXPECT_EQ(length(), 40);
  keys +=
      R"(,"processing_kwargs":{"text":{"max_length":30,"truncation":true,"padding":"max_length"})";
  keys += "}";
  EXPECT_EQ(length(), 30);
  keys.back() = ',';
  keys += R"("common":{"max_length":20}})";
  EXPECT_EQ(length(), 20);
  const SentenceConfig config = sentence_of("{" + keys + R"(,"query_length":9})");
  EXPECT_EQ(config.kept.at("processing_kwargs").at("text").at("max_length"), 30);
  EXPECT_EQ(config.kept.at("query_length"), 9);
  EXPECT_FALSE(config.kept.contains("tokenizer_args"));
  EXPECT_FALSE(
      sentence_of(R"({"processing_kwargs":{"text":{"truncation":"do_not_truncate"}}})").truncates);
}

TEST(SentenceConfig, KeysOfConfigJsonAreReplaced) {
  std::vector<std::string> notes;
  const SentenceConfig config =
      sentence_of(R"({"config_args":{"num_hidden_layers":3,"trust_remote_code":true}})",
                  "feature-extraction", &notes);
  EXPECT_EQ(config.config_changes, Json::object({{"num_hidden_layers", 3}}));
  EXPECT_THAT(notes, testing::Contains(HasSubstr("replace keys of config.json")));
}

TEST(SentenceConfig, WhatSentenceTransformersWritesIsRead) {
  EXPECT_NO_THROW(sentence_of(
      R"({"transformer_task":"feature-extraction","modality_config":{"text":{"method":"forward","method_output_name":"last_hidden_state"}},
          "module_output_name":"token_embeddings","unpad_inputs":false,"model_args":{"torch_dtype":"float16","attn_implementation":"sdpa"}})"));
  EXPECT_NO_THROW(sentence_of(
      R"({"transformer_task":"sequence-classification","modality_config":{"text":{"method":"forward","method_output_name":"logits"}},
          "module_output_name":"scores"})",
      "sequence-classification"));
}

TEST(SentenceConfig, WhatIsNotComputedIsRefusedByItsKey) {
  expect_refused("transformer_task 'fill-mask'", R"({"transformer_task":"fill-mask"})");
  expect_refused(
      "modality_config.message",
      R"({"modality_config":{"text":{},"message":{}},"module_output_name":"token_embeddings"})");
  expect_refused("modality_config has no text", R"({"modality_config":{"image":{}}})");
  expect_refused(
      "method_output_name is \"pooler_output\"; only last_hidden_state",
      R"({"modality_config":{"text":{"method":"forward","method_output_name":"pooler_output"}}})");
  expect_refused(
      "only logits is read",
      R"({"modality_config":{"text":{"method":"forward","method_output_name":"last_hidden_state"}}})",
      "sequence-classification");
  expect_refused("method 'get_text_features'",
                 R"({"modality_config":{"text":{"method":"get_text_features"}}})");
  expect_refused("module_output_name 'sentence_embedding'",
                 R"({"modality_config":{"text":{}},"module_output_name":"sentence_embedding"})");
  expect_refused("add_special_tokens is false",
                 R"({"processing_kwargs":{"text":{"add_special_tokens":false}}})");
  expect_refused("truncation is \"only_second\"",
                 R"({"processing_kwargs":{"common":{"truncation":"only_second"}}})");
  expect_refused("tokenizer_args: do_lower_case is true",
                 R"({"tokenizer_args":{"do_lower_case":true}})");
  expect_refused("truncation_side is \"left\"",
                 R"({"processor_kwargs":{"truncation_side":"left"}})");
  expect_refused("quantization_config",
                 R"({"model_kwargs":{"quantization_config":{"load_in_4bit":true}}})");
  expect_refused("tokenizer_name_or_path", R"({"tokenizer_name_or_path":"bert-base-uncased"})");
  expect_refused("query_expansion", R"({"query_expansion":{"strategy":"fixed"}})");
}

}  // namespace
}  // namespace contrastive::io
