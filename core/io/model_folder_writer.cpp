// write_model_folder: the files of a sentence-transformers folder, in the layout that its oldest and its newest versions read alike.
#include <utility>

#include "core/base/checked.h"
#include "core/base/error.h"
#include "core/base/file.h"
#include "core/io/atomic_folder.h"
#include "core/io/families/family.h"
#include "core/io/hf_config.h"
#include "core/io/kept_readme.h"
#include "core/io/model_card.h"
#include "core/io/model_folder.h"
#include "core/io/modules.h"
#include "core/io/weight_names.h"

namespace contrastive::io {
namespace {

void write_json(AtomicFolder& out, const std::string& name, const Json& value) { out.write_file(name, value.dump(2) + "\n"); }

void write_tensors(AtomicFolder& out, const std::string& name, const TensorMap& tensors) {
  OutputFile file(out.path() + "/" + name);
  write_safetensors(file, tensors);
  file.finish();
}

// Numbers the modules in the order in which they run and writes each one's files.
class ModuleWriter {
 public:
  explicit ModuleWriter(AtomicFolder& out) : out_(out) {}

  // Gives the folder of the new module; the Transformer lies in the root.
  std::string add(const std::string& type) {
    const int64_t index = static_cast<int64_t>(list_.size());
    const std::string folder = type == "Transformer" ? "" : std::to_string(index) + "_" + type;
    // The names of the versions before 5.0; later ones map them to where the classes have moved.
    list_.push_back({{"idx", index}, {"name", std::to_string(index)}, {"path", folder}, {"type", "sentence_transformers.models." + type}});
    if (!folder.empty()) out_.make_folder(folder);
    return folder;
  }
  void finish() { write_json(out_, "modules.json", list_); }

 private:
  AtomicFolder& out_;
  Json list_ = Json::array();
};

void write_pooling(AtomicFolder& out, ModuleWriter& modules, const ModelFolder& model) {
  write_json(out, modules.add("Pooling") + "/config.json", write_pooling_config({model.poolings, model.encoder.hidden_size, model.include_prompt}));
  // What sentence-transformers has no word for is kept for ourselves beside the nearest it has; the model card says so.
  if (!poolings_are_expressible(model.poolings)) write_json(out, "contrastive.json", {{"poolings", model.poolings}});
}

void write_dense(AtomicFolder& out, ModuleWriter& modules, const DenseModule& dense) {
  check(dense.weight.defined() && dense.weight.dimensions() == 2, Status::kMismatch, "the weight of a Dense module has no two dimensions");
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
  write_json(out, "config_sentence_transformers.json",
             {{"model_type", "SentenceTransformer"},
              // The oldest version that reads prompts and similarity_fn_name; newer ones warn of a version above their own.
              {"__version__", {{"sentence_transformers", "3.0.0"}}},
              {"prompts", prompts},
              {"default_prompt_name", model.default_prompt_name.empty() ? Json() : Json(model.default_prompt_name)},
              {"similarity_fn_name", model.similarity}});
}

// Of the tensors and the tokenizer; what else is written takes a few kilobytes.
int64_t bytes_to_write(const ModelFolder& model) {
  Size total(1 << 16, "bytes to write");
  for (const TensorMap* tensors : {&model.weights, &model.mlm_head}) {
    for (const auto& item : *tensors) total = total + item.second.elements() * 4;
  }
  for (const DenseModule& dense : model.dense) total = total + dense.weight.elements() * 4;
  for (const auto& item : model.tokenizer_files) total = total + static_cast<int64_t>(item.second.size());
  return total.value();
}

void write_files(AtomicFolder& out, const ModelFolder& model) {
  const bool head = !model.mlm_head.empty() && family_named(model.encoder.family).mlm_class != nullptr;
  write_json(out, "config.json", write_hf_config(model.encoder, model.config, head));
  write_tensors(out, "model.safetensors", checkpoint_tensors(model.encoder, model.weights, head ? model.mlm_head : TensorMap()));
  for (const auto& [name, bytes] : model.tokenizer_files) out.write_file(name, bytes);
  write_json(out, "sentence_bert_config.json", {{"max_seq_length", model.max_seq_length}, {"do_lower_case", false}});
  write_prompts(out, model);
  ModuleWriter modules(out);
  modules.add("Transformer");
  write_pooling(out, modules, model);
  for (const DenseModule& dense : model.dense) write_dense(out, modules, dense);
  if (model.normalize) modules.add("Normalize");
  modules.finish();
  out.write_file("README.md", model.card == nullptr && !model.readme.empty() ? model.readme : model_card(model));
}

}  // namespace

void write_model_folder(const std::string& path, const ModelFolder& folder, const std::function<void(const std::string& folder)>& also) {
  check(!folder.poolings.empty(), Status::kArgument, path, ": a model without a pooling cannot be saved; choose one first");
  check(!folder.tokenizer_files.empty(), Status::kState, path, ": the model to save has no tokenizer files");
  AtomicFolder out(path);
  out.require_space(bytes_to_write(folder));
  write_files(out, folder);
  keep_readme(out.target(), out.path());
  if (also) also(out.path());
  out.commit();
}

}  // namespace contrastive::io
