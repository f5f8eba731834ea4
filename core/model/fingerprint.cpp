#include "core/model/fingerprint.h"

#include "core/base/error.h"
#include "core/base/json.h"
#include "core/base/sha256.h"
#include "core/encoder/static_encoder.h"
#include "core/io/static_table.h"

namespace contrastive::model {

namespace {

// The name and the length come before the bytes, so that two different models never produce the
// same stream.
void add_named(Sha256& hash, const std::string& name, std::string_view bytes) {
  hash.update(cat(name, '\0', bytes.size(), '\0'));
  hash.update(bytes);
}

void add_tensor(Sha256& hash, const std::string& name, const Tensor& tensor) {
  add_named(hash, cat(name, ' ', shape_text(tensor.shape())),
            {static_cast<const char*>(tensor.data()), static_cast<size_t>(tensor.bytes())});
}

Json described(const io::ModelFolder& folder, const encoder::Encoder& encoder) {
  Json text;
  text["shape"] = encoder.architecture().inference_text();
  text["precision"] = runtime::precision_name(encoder.precision());
  text["poolings"] = folder.poolings;
  text["include_prompt"] = folder.include_prompt;
  text["normalize"] = folder.normalize;
  text["max_seq_length"] = folder.max_seq_length;
  text["prompts"] = folder.prompts;
  text["default_prompt_name"] = folder.default_prompt_name;
  if (folder.truncate_dim > 0) text["truncate_dim"] = folder.truncate_dim;
  for (const io::DenseModule& module : folder.dense)
    text["dense"].push_back(module.activation + (module.normalizes ? " of length 1" : ""));
  // The same table and tokenizer give other vectors if unknown tokens count.
  if (encoder::is_static(encoder.architecture()))
    text["unknown_tokens"] = !io::is_model2vec(folder.config);
  if (folder.classifier != nullptr) {
    const encoder::ClassificationHead& head = folder.classifier->head;
    text["classifier"] = {{"pooling", head.pooling},
                          {"dense", head.activation},
                          {"scores", folder.classifier->activation}};
  }
  return text;
}

}  // namespace

std::string model_fingerprint(const io::ModelFolder& folder, const encoder::Encoder& encoder) {
  Sha256 hash;
  add_named(hash, "model", dump_ascii(described(folder, encoder)));
  for (const auto& [name, bytes] : folder.tokenizer_files) add_named(hash, name, bytes);
  encoder.visit_bytes(
      [&](const std::string& name, std::string_view bytes) { add_named(hash, name, bytes); });
  for (const io::DenseModule& module : folder.dense) {
    add_tensor(hash, "dense.weight", module.weight);
    if (module.bias.defined()) add_tensor(hash, "dense.bias", module.bias);
  }
  if (folder.classifier != nullptr) {
    for (const auto& [name, tensor] : folder.classifier->weights) add_tensor(hash, name, tensor);
  }
  return hash.hex();
}

}  // namespace contrastive::model
