// A family of encoders: how its config.json describes an Architecture, and the names of the tensors
// in its checkpoints. A family is one file in this folder and one line in registry.cpp. Only the
// reader and the writer of model folders know it.
#pragma once

#include <string>
#include <vector>

#include "core/encoder/architecture.h"
#include "core/encoder/classification_head.h"
#include "core/io/families/config_keys.h"

namespace contrastive::io {

// A module of a checkpoint and the encoder's modules (core/encoder/weights.h) that it contains:
// several if the file stores their rows in one tensor, in this order. Names have no ".weight" or
// ".bias". # is the number of a weight set; in a file that groups the sets, # is the number of the
// group and @ the number in the group. If weights are in two entries, the reader uses the one that
// the file has, and the writer uses the first.
struct ModuleName {
  const char* file;
  std::vector<const char*> weights;
};

struct Family {
  const char* name;   // Architecture::family
  const char* title;  // in model cards
  // Values of model_type, each with the prefix of its class names: "bert", "Bert".
  struct Spelling {
    const char* model_type;
    const char* class_prefix;
    const char* tensor_prefix = nullptr;  // of its checkpoints, if it differs from the family's
  };
  std::vector<Spelling> spellings;
  const char* model_class;    // after that prefix: "Model"
  const char* mlm_class;      // the same for a folder with the head for masked language modelling;
                              // nullptr if that head cannot be written
  const char* tensor_prefix;  // of the encoder's tensors in a file with a head: "bert."
  // Lists the keys, and sets what the family always has and no key says.
  void (*describe)(ConfigKeys& keys, encoder::Architecture& architecture);
  std::vector<ModuleName> (*modules)(const encoder::Architecture& architecture);
  std::vector<ModuleName> mlm_head;
  // For new models (core/model/model_recipe.h): the differences from BERT's sizes, and the kind of
  // tokenizer of the family. nullptr if new models of this family cannot be made.
  void (*start)(encoder::Architecture& architecture) = nullptr;
  const char* tokenizer = "";
  // The class of a SentencePiece model in its folders if they name no tokenizer_class.
  const char* sentencepiece = "";
  // For a family that shares its model_type with another: whether a config.json belongs to it.
  // nullptr if no other family uses its model_type.
  bool (*claims)(const JsonObject& config) = nullptr;
  // The head of ...ForSequenceClassification with the settings of config.json, and its modules by
  // the names of encoder::classification_head_shapes. nullptr if no head is read.
  void (*classifier)(const JsonObject& config, encoder::ClassificationHead& head) = nullptr;
  std::vector<ModuleName> classifier_modules = {};
};

const std::vector<Family>& families();
// auto_map.AutoModel: the custom code that a checkpoint names for its encoder,
// "somebody/code--modeling.NewModel"; "" if it names none.
std::string own_code(const JsonObject& config);
// The class in that code: "NewModel".
std::string own_class(const JsonObject& config);
// Throws kInternal for an unknown name.
const Family& family_named(const std::string& name);

}  // namespace contrastive::io
