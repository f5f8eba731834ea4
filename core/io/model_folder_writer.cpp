// write_model_folder: writes the files of a sentence-transformers folder, in a layout that its
// oldest and its newest versions can read.
#include <utility>

#include "core/base/checked.h"
#include "core/base/error.h"
#include "core/base/file.h"
#include "core/encoder/static_encoder.h"
#include "core/io/atomic_folder.h"
#include "core/io/families/family.h"
#include "core/io/hf_config.h"
#include "core/io/kept_readme.h"
#include "core/io/model_card.h"
#include "core/io/model_folder.h"
#include "core/io/modules.h"
#include "core/io/static_table.h"
#include "core/io/weight_names.h"

namespace contrastive::io {
namespace {

void write_json(AtomicFolder& out, const std::string& name, const Json& value) {
  out.write_file(name, value.dump(2) + "\n");
}

void write_tensors(AtomicFolder& out, const std::string& name, const TensorMap& tensors) {
  OutputFile file(out.path() + "/" + name);
  write_safetensors(file, tensors);
  file.finish();
}

// Numbers the modules in the order in which they run and writes each one's files.
class ModuleWriter {
 public:
  explicit ModuleWriter(AtomicFolder& out) : out_(out) {}

  // Returns the folder of the new module. The first is the root.
  std::string add(const std::string& type) {
    const int64_t index = static_cast<int64_t>(list_.size());
    const std::string folder = index == 0 ? "" : std::to_string(index) + "_" + type;
    // The class names of the versions before 5.0. Later versions map them to the new places of the
    // classes.
    list_.push_back({{"idx", index},
                     {"name", std::to_string(index)},
                     {"path", folder},
                     {"type", "sentence_transformers.models." + type}});
    if (!folder.empty()) out_.make_folder(folder);
    return folder;
  }
  void finish() { write_json(out_, "modules.json", list_); }

 private:
  AtomicFolder& out_;
  Json list_ = Json::array();
};

void write_pooling(AtomicFolder& out, ModuleWriter& modules, const ModelFolder& model) {
  write_json(out, modules.add("Pooling") + "/config.json",
             write_pooling_config(
                 {model.poolings, model.encoder.hidden_size, model.include_prompt}));
  // Poolings that sentence-transformers does not have are stored in a file of this library, in
  // addition to the nearest one that it has. The model card mentions this.
  if (!poolings_are_expressible(model.poolings))
    write_json(out, "contrastive.json", {{"poolings", model.poolings}});
}

void write_dense(AtomicFolder& out, ModuleWriter& modules, const DenseModule& dense) {
  check(dense.weight.defined() && dense.weight.dimensions() == 2, Status::kMismatch,
        "the weight of a Dense module has no two dimensions");
  if (dense.normalizes) modules.add("Normalize");
  const std::string folder = modules.add("Dense");
  write_json(out, folder + "/config.json",
             {{"in_features", dense.weight.size(1)},
              {"out_features", dense.weight.size(0)},
              {"bias", dense.bias.defined()},
              {"activation_function", activation_to_class(dense.activation)}});
  TensorMap tensors = {{"linear.weight", dense.weight}};
  if (dense.bias.defined()) tensors["linear.bias"] = dense.bias;
  write_tensors(out, folder + "/model.safetensors", tensors);
}

void write_prompts(AtomicFolder& out, const ModelFolder& model) {
  Json prompts = Json::object();
  for (const auto& [name, text] : model.prompts) prompts[name] = text;
  Json config = {{"model_type",
                  model.classifier != nullptr ? "CrossEncoder" : "SentenceTransformer"},
                 // The oldest version that reads prompts and similarity_fn_name. Newer versions
                 // warn about a version above their own.
                 {"__version__", {{"sentence_transformers", "3.0.0"}}},
                 {"prompts", prompts},
                 {"default_prompt_name",
                  model.default_prompt_name.empty() ? Json() : Json(model.default_prompt_name)}};
  if (model.classifier != nullptr)
    config["activation_fn"] = activation_to_class(model.classifier->activation);
  else config["similarity_fn_name"] = model.similarity;
  if (model.truncate_dim > 0) config["truncate_dim"] = model.truncate_dim;
  write_json(out, "config_sentence_transformers.json", config);
}

// The size of the tensors and the tokenizer. All other files take a few kilobytes.
int64_t bytes_to_write(const ModelFolder& model) {
  Size total(1 << 16, "bytes to write");
  for (const TensorMap* tensors : {&model.weights, &model.mlm_head}) {
    for (const auto& item : *tensors) total = total + item.second.elements() * 4;
  }
  for (const auto& item : model.classifier != nullptr ? model.classifier->weights : TensorMap())
    total = total + item.second.elements() * 4;
  for (const DenseModule& dense : model.dense) total = total + dense.weight.elements() * 4;
  if (model.adapter != nullptr) {
    for (const Adapter::Module& module : model.adapter->modules)
      total = total + (module.a.elements() + module.b.elements()) * 4;
  }
  for (const auto& item : model.tokenizer_files)
    total = total + static_cast<int64_t>(item.second.size());
  return total.value();
}

// Writes the format that was read. A model2vec folder, which sentence-transformers reads too, has a
// config.json.
void write_static(AtomicFolder& out, const ModelFolder& model) {
  const auto table = model.weights.find("embeddings.word_embeddings.weight");
  check(table != model.weights.end(), Status::kMismatch,
        "the model to save has no table of token vectors");
  const bool model2vec = is_model2vec(model.config);
  write_tensors(out, "model.safetensors",
                {{model2vec ? "embeddings" : "embedding.weight", table->second}});
  if (!model2vec) return;
  Json config = model.config;
  config["hidden_dim"] = model.encoder.hidden_size;
  config["embedding_dtype"] = "float32";
  config["normalize"] = model.normalize;
  config.erase("vocabulary_quantization");
  write_json(out, "config.json", config);
}

void write_transformer(AtomicFolder& out, const ModelFolder& model) {
  CheckpointHead head;
  if (model.classifier != nullptr) head.classifier = model.classifier.get();
  else if (!model.mlm_head.empty() && family_named(model.encoder.family).mlm_class != nullptr)
    head.mlm = &model.mlm_head;
  const HeadKind kind = head.classifier != nullptr ? HeadKind::kClassifier
                        : head.mlm != nullptr      ? HeadKind::kMaskedLm
                                                   : HeadKind::kNone;
  Json config = write_hf_config(model.encoder, model.config, kind);
  if (head.classifier != nullptr) write_classifier(*head.classifier, config);
  write_json(out, "config.json", config);
  write_tensors(out, "model.safetensors",
                checkpoint_tensors(model.encoder, model.weights, head,
                                   config.at("model_type").get<std::string>()));
  Json sentence = {{"max_seq_length", model.max_seq_length}, {"do_lower_case", false}};
  if (head.classifier != nullptr) sentence["transformer_task"] = "sequence-classification";
  sentence.update(model.sentence_keys);
  write_json(out, "sentence_bert_config.json", sentence);
}

void write_files(AtomicFolder& out, const ModelFolder& model) {
  const bool no_layers = encoder::is_static(model.encoder);
  if (no_layers) write_static(out, model);
  else write_transformer(out, model);
  for (const auto& [name, bytes] : model.tokenizer_files) out.write_file(name, bytes);
  write_prompts(out, model);
  ModuleWriter modules(out);
  modules.add(no_layers ? "StaticEmbedding" : "Transformer");
  if (!no_layers && model.classifier == nullptr) write_pooling(out, modules, model);
  for (const DenseModule& dense : model.dense) write_dense(out, modules, dense);
  if (model.normalize) modules.add("Normalize");
  modules.finish();
  if (model.adapter != nullptr) {
    out.make_folder("adapter");
    write_adapter(out.path() + "/adapter", *model.adapter, model.encoder);
  }
  out.write_file("README.md",
                 model.card == nullptr && !model.readme.empty() ? model.readme : model_card(model));
}

}  // namespace

void write_model_folder(const std::string& path, const ModelFolder& folder,
                        const std::function<void(const std::string& folder)>& also) {
  check(!folder.poolings.empty() || folder.classifier != nullptr, Status::kArgument, path,
        ": a model without a pooling cannot be saved; choose one first");
  check(!folder.tokenizer_files.empty(), Status::kState, path,
        ": the model to save has no tokenizer files");
  AtomicFolder out(path);
  out.require_space(bytes_to_write(folder));
  write_files(out, folder);
  keep_readme(out.target(), out.path());
  if (also) also(out.path());
  out.commit();
}

}  // namespace contrastive::io
