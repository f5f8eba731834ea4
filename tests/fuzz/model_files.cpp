// The JSON files of a model folder: config.json, the index of shards, modules.json and the configs
// of modules.
#include "core/base/json.h"
#include "core/io/classifier.h"
#include "core/io/hf_config.h"
#include "core/io/modules.h"
#include "core/io/pooling_config.h"
#include "core/io/sentence_config.h"
#include "core/io/shard_index.h"
#include "tests/fuzz/target.h"

namespace contrastive::fuzz {

FUZZ_TARGET(hf_config) {
  Json json;
  encoder::Architecture options;
  std::vector<std::string> notes;
  const bool ok = accepted([&] {
    json = parse_json(bytes, "config.json");
    options = io::read_hf_config(json, "config.json", notes);
  });
  if (!ok) return;
  expect(options.vocab_size > 0 && options.hidden_size > 0 && options.num_hidden_layers > 0 &&
             options.num_attention_heads > 0 && options.intermediate_size > 0 &&
             options.type_vocab_size >= 0,
         "a size below 1 was accepted");
  expect(options.width_of_head() > 0 &&
             options.num_attention_heads % options.key_value_heads() == 0,
         "heads that do not divide the width were accepted");
  expect(options.max_tokens() >= 2, "an encoder without room for a text was accepted");
  expect(options.pad_token_id >= 0 && options.pad_token_id < options.vocab_size,
         "a padding id outside of the vocabulary was accepted");
  const Json written = io::write_hf_config(options, json);
  const bool equal = io::read_hf_config(written, "written", notes) == options;
  expect(equal, "a config differs after it was written and read again");
  io::Classifier head;
  if (!accepted([&] { head = io::read_classifier(json, "config.json", options); })) return;
  expect(!head.labels.empty(), "a reranker without a label was accepted");
  Json classifier = io::write_hf_config(options, json, io::HeadKind::kClassifier);
  io::write_classifier(head, classifier);
  const io::Classifier again = io::read_classifier(classifier, "written", options);
  expect(again.labels == head.labels && again.activation == head.activation &&
             again.head.pooling == head.head.pooling,
         "a reranker's config differs after it was written and read again");
}

FUZZ_TARGET(shard_index) {
  static const std::string first =
                               fixture("models/roberta_sharded/model-00001-of-00002.safetensors"),
                           second =
                               fixture("models/roberta_sharded/model-00002-of-00002.safetensors");
  const MemoryFolder folder;
  folder.write("model-00001-of-00002.safetensors", first);
  folder.write("model-00002-of-00002.safetensors", second);
  folder.write("model.safetensors.index.json", bytes);
  io::WeightFiles files;
  if (!accepted([&] { files = io::open_weight_files(folder.path()); },
                {Status::kNotFound, Status::kArgument}))
    return;
  for (const io::TensorSource& source : files.tensors) {
    expect(source.file != nullptr && source.entry != nullptr &&
               source.file->find(source.entry->name) == source.entry,
           "an accepted index names a tensor that is not in its file");
  }
}

// modules.json, and the config of each module that it can name.
FUZZ_TARGET(modules) {
  const auto files = pieces(bytes, 5);
  const MemoryFolder folder;
  folder.write("modules.json", files[0]);
  folder.write("1_Pooling/config.json", files[1]);
  folder.write("2_Dense/config.json", files[2]);
  folder.write("sentence_bert_config.json", files[3]);
  folder.write("config_sentence_transformers.json", files[4]);
  io::ModuleList list;
  std::vector<std::string> notes;
  if (accepted([&] { list = io::read_modules(folder.path(), notes); },
               {Status::kNotFound, Status::kArgument, Status::kIo})) {
    expect(list.transformer_folder.compare(0, folder.path().size(), folder.path()) == 0,
           "the transformer is outside of the folder");
    for (const io::DenseConfig& dense : list.dense) {
      expect(dense.in_features > 0 && dense.out_features > 0,
             "a dense module without width was accepted");
      expect(io::activation_from_class(io::activation_to_class(dense.activation), "again") ==
                 dense.activation,
             "an activation changes its name");
      expect(dense.folder.compare(0, folder.path().size(), folder.path()) == 0 &&
                 dense.folder.find("/../") == std::string::npos,
             "a dense module outside of the folder was accepted");
    }
    expect(list.pooling.width >= 0, "a pooling of negative width was accepted");
  }
  accepted([&] {
    std::vector<std::string> notes;
    expect(io::read_sentence_config(folder.path(), notes).max_seq_length >= 0,
           "a negative length was accepted");
  });
  accepted([&] {
    std::vector<std::string> notes;
    const io::PromptConfig prompts = io::read_prompt_config(folder.path(), notes);
    expect(prompts.default_prompt_name.empty() ||
               prompts.prompts.count(prompts.default_prompt_name) == 1,
           "the default prompt is not one of the prompts");
  });
}

FUZZ_TARGET(pooling_config) {
  io::PoolingConfig pooling;
  if (!accepted([&] {
        pooling = io::read_pooling_config(parse_json(bytes, "config.json"), "config.json");
      }))
    return;
  expect(!pooling.poolings.empty(), "a pooling config without a pooling was accepted");
  expect(pooling.width >= 0, "a negative width was accepted");
  if (!io::poolings_are_expressible(pooling.poolings)) return;
  const io::PoolingConfig again =
      io::read_pooling_config(io::write_pooling_config(pooling), "written");
  expect(again.poolings == pooling.poolings && again.width == pooling.width &&
             again.include_prompt == pooling.include_prompt,
         "a pooling config differs after it was written and read again");
}

}  // namespace contrastive::fuzz
