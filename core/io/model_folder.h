// A checkpoint folder, read and written: a Hugging Face folder (config.json + model.safetensors,
// sharded too) or a sentence-transformers folder (modules.json with Transformer, Pooling, Dense,
// Normalize; old and new layout). This file knows names and layouts; what the numbers mean is the
// business of core/torch/nn and core/model.
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
  std::string activation;   // "tanh", "relu", "identity", ...: dense_activations() of modules.h
  bool normalizes = false;  // a Normalize module stands before it: x is scaled to length 1 first
};

// What a folder holds. Poolings are named as core/torch/methods/README.md 1.1 names them; several
// are concatenated in this order.
struct ModelFolder {
  encoder::Architecture encoder;
  TensorMap
      weights;  // float32 on the CPU, names without prefix: "encoder.layer.0.output.dense.weight"
  std::shared_ptr<const Classifier> classifier;  // of a reranker, which has no pooling and nothing
                                                 // behind one; null: a sentence encoder
  TensorMap mlm_head;  // by encoder::mlm_head_shapes: of the masked language model, where the
                       // folder has one; written back on save
  std::shared_ptr<const text::Tokenizer> tokenizer;
  std::string tokenizer_folder;  // where its files lay
  std::map<std::string, std::string>
      tokenizer_files;  // name -> bytes: a save must not depend on what became of the folder since
  std::vector<std::string> poolings;  // empty: the folder states none, and the caller must choose
  bool include_prompt = true;         // false: prompt tokens are left out of pooling
  std::vector<DenseModule> dense;     // applied in order after pooling
  bool normalize = false;             // a Normalize module is present
  int64_t max_seq_length =
      0;  // counts all ids; resolved as core/torch/methods/README.md 2 says, never 0 after reading
  std::map<std::string, std::string> prompts;  // name -> text
  std::string default_prompt_name;             // "" for none
  int64_t truncate_dim = 0;                    // numbers of a finished vector; 0: all
  Json sentence_keys = Json::object();         // of sentence_bert_config.json
  std::string similarity = "cosine";           // similarity_fn_name
  Json config;         // the transformer's config.json as read, written back on save
  std::string origin;  // what was read: "owner/name" in a hub's cache, else the folder's name; "":
                       // made, not read
  std::string readme;  // README.md as read, which a save writes back; "" where there is none or the
                       // model has changed
  std::shared_ptr<const ModelCard> card;   // what is known of its making, and then written in the
                                           // place of `readme`; null: nothing
  std::shared_ptr<const Adapter> adapter;  // merged into the weights by the training that they come
                                           // from: a save writes it beside them; null: none
  std::vector<std::string> notes;  // which files were read; what was defaulted, renamed or ignored;
                                   // one sentence each, for `inspect`
};

struct ReadOptions {
  bool allow_non_finite = false;  // accept NaN and infinity in weights
  bool memory_map = false;    // map the weight files instead of reading them; the caller promises
                              // that nobody writes to them in place
  bool allow_pickle = false;  // read pytorch_model.bin where there is no safetensors file
                              // (core/io/pickled_checkpoint.h)
  bool classifier = false;    // read a reranker: a folder of ...ForSequenceClassification, as
                              // sentence-transformers' CrossEncoder has it
  std::string adapter;        // folder of a low-rank adapter that is merged into the weights
                              // (core/io/adapter.h); "" = none
  bool load_weights = true;   // false: everything but the tensors, for `inspect`
  text::InvalidUtf8 invalid_utf8 =
      text::InvalidUtf8::kReplace;  // what malformed UTF-8 is to the tokenizer
};

// kNotFound, kFormat, kUnsupported, kLimit, kMismatch, kNumeric; the message names file, key or
// tensor.
ModelFolder read_model_folder(const std::string& path, const ReadOptions& options = {});

// Its transformer's shape, from modules.json and config.json alone: the weights and the tokenizer
// need not be there.
encoder::Architecture read_model_shape(const std::string& path);

// Writes a sentence-transformers folder that sentence-transformers (every version), transformers
// and this library load: with `classifier` as CrossEncoder, with an adapter in `adapter`. Atomic:
// `path` holds the old complete folder or the new complete one at every instant (atomic_folder.h).
// `also`, when given, adds files of the caller's own to the folder under the path it is passed,
// before it is put in place. An existing folder is replaced only if it is empty or holds nothing
// but a model folder's files and `training_state`: kArgument names the first other. A README.md in
// it that a person wrote or changed goes on as README.before.md (kept_readme.h). kBusy while
// another saver works there, kNoSpace, kIo.
void write_model_folder(const std::string& path, const ModelFolder& folder,
                        const std::function<void(const std::string& folder)>& also = {});

}  // namespace contrastive::io
