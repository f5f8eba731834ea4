// Reads and writes model folders (checkpoints): Hugging Face folders (config.json +
// model.safetensors, also sharded) and sentence-transformers folders (modules.json with
// Transformer, Pooling, Dense, Normalize; old and new layout). This file knows names and layouts;
// core/encoder and core/model compute with the numbers.
#pragma once

#include <functional>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "core/base/json.h"
#include "core/encoder/architecture.h"
#include "core/io/adapter.h"
#include "core/io/classifier.h"
#include "core/io/model_card.h"
#include "core/io/safetensors.h"
#include "core/text/tokenizer.h"

namespace contrastive::io {

// One sentence-transformers Dense module: y = activation(x W^T + b).
struct DenseModule {
  Tensor weight;            // [out, in] float32
  Tensor bias;              // [out] or undefined
  std::string activation;   // "tanh", "relu", "identity", ...: see dense_activations() in modules.h
  bool normalizes = false;  // a Normalize module comes before it and scales x to length 1
};

// The contents of a model folder. core/encoder/README.md 1 defines the names of the poolings, which
// are concatenated in this order.
struct ModelFolder {
  encoder::Architecture encoder;
  TensorMap
      weights;  // float32 on the CPU, names without prefix: "encoder.layer.0.output.dense.weight"
  std::shared_ptr<const Classifier> classifier;  // of a reranker, which has no pooling and nothing
                                                 // after it; null: a sentence encoder
  TensorMap mlm_head;  // by encoder::mlm_head_shapes: the head for masked language modelling, if
                       // the folder has one; written back on save
  std::shared_ptr<const text::Tokenizer> tokenizer;
  std::string tokenizer_folder;  // the folder that its files were in
  std::map<std::string, std::string>
      tokenizer_files;  // name -> bytes: a save must not depend on later changes to the folder
  std::vector<std::string> poolings;  // empty: the folder has none, and the caller must choose
  bool include_prompt = true;         // false: pooling omits the tokens of the prompt
  std::vector<DenseModule> dense;     // applied in order after pooling
  bool normalize = false;             // a Normalize module is present
  int64_t max_seq_length = 0;  // counts all ids; resolved according to core/torch/methods/README.md
                               // 2, never 0 after reading
  std::map<std::string, std::string> prompts;  // name -> text
  std::string default_prompt_name;             // "" for none
  int64_t truncate_dim = 0;                    // dimensions of a finished vector; 0: all
  Json sentence_keys = Json::object();         // of sentence_bert_config.json
  std::string similarity = "cosine";           // similarity_fn_name
  Json config;         // the transformer's config.json as read, written back on save
  std::string origin;  // where it was read from: "owner/name" in a hub's cache, otherwise the
                       // folder's name; "" if it was not read from a folder
  std::string readme;  // README.md as read, which a save writes back; "" if it is missing or the
                       // model has changed
  std::shared_ptr<const ModelCard> card;   // what is known about its training, written instead of
                                           // `readme`; null: nothing
  std::shared_ptr<const Adapter> adapter;  // from a training run that merged it into these weights;
                                           // a save writes it too; null: none
  std::vector<std::string> notes;  // which files were read, and what was defaulted, renamed or
                                   // ignored; one sentence each, for `inspect`
};

struct ReadOptions {
  bool allow_non_finite = false;  // accept NaN and infinity in weights
  bool memory_map = false;    // map the weight files instead of reading them; the caller guarantees
                              // that they are not changed in place
  bool allow_pickle = false;  // read pytorch_model.bin if there is no safetensors file
                              // (core/io/pickled_checkpoint.h)
  bool classifier = false;    // read a reranker: a folder of a ...ForSequenceClassification model,
                              // as transformers or as sentence-transformers' CrossEncoder saves it
  std::string adapter;        // folder of a low-rank adapter to merge into the weights
                              // (core/io/adapter.h); "" for none
  bool load_weights = true;   // false: read everything except the tensors, for `inspect`
  text::InvalidUtf8 invalid_utf8 =
      text::InvalidUtf8::kReplace;  // what the tokenizer does with malformed UTF-8
};

// Throws kNotFound, kFormat, kUnsupported, kLimit, kMismatch and kNumeric. The message names the
// file, key or tensor.
ModelFolder read_model_folder(const std::string& path, const ReadOptions& options = {});

// The shape of its transformer, only from modules.json and config.json. The weights and the
// tokenizer may be missing.
encoder::Architecture read_model_shape(const std::string& path);

// Writes a sentence-transformers folder that sentence-transformers (every version), transformers
// and this library can load: with `classifier` as CrossEncoder, with an adapter in `adapter`.
// Atomic: at every instant `path` is the complete old folder or the complete new one
// (atomic_folder.h). `also`, if given, is called with the path of the new folder before it is put
// in place, and can add files of the caller. An existing folder is replaced only if it is empty or
// contains only the files of a model folder and `training_state`; otherwise kArgument names the
// first other entry. A README.md that a person wrote or changed is kept as README.before.md
// (kept_readme.h). Throws kBusy while another process saves there, kNoSpace, kIo.
void write_model_folder(const std::string& path, const ModelFolder& folder,
                        const std::function<void(const std::string& folder)>& also = {});

}  // namespace contrastive::io
