// A family of encoders: how its config.json states an Architecture, and what its checkpoints call
// the tensors. A family is one file of this folder and one line of registry.cpp; nothing behind the
// reader and the writer of a model folder knows it.
#pragma once

#include <string>
#include <vector>

#include "core/encoder/architecture.h"
#include "core/encoder/classification_head.h"
#include "core/io/families/config_keys.h"

namespace contrastive::io {

// One module of a checkpoint, and the encoder's (core/encoder/weights.h) that it is: several where
// the file keeps their rows in one tensor, in this order. Without ".weight" and ".bias"; # stands
// for the number of a set of layer weights, in a file that groups them # for the group's and @ for
// the set's in it. Where weights appear in two rows, what the file has is read, and the first is
// written.
struct ModuleName {
  const char* file;
  std::vector<const char*> weights;
};

struct Family {
  const char* name;   // Architecture::family
  const char* title;  // in model cards
  // Values of model_type, and the beginnings of the classes' names that go with each: "bert",
  // "Bert".
  struct Spelling {
    const char* model_type;
    const char* class_prefix;
    const char* tensor_prefix = nullptr;  // of its checkpoints, where it is not the family's
  };
  std::vector<Spelling> spellings;
  const char* model_class;    // behind that beginning: "Model"
  const char* mlm_class;      // likewise of a folder with the head of masked language modelling;
                              // nullptr: no such head is written
  const char* tensor_prefix;  // of the encoder's tensors beside a head: "bert."
  // Lists the keys, and says on the way what they do not: what the family always has.
  void (*describe)(ConfigKeys& keys, encoder::Architecture& architecture);
  std::vector<ModuleName> (*modules)(const encoder::Architecture& architecture);
  std::vector<ModuleName> mlm_head;
  // A model that does not exist yet (core/model/model_recipe.h): what differs from BERT's sizes,
  // and the kind of tokenizer that goes with it. nullptr: such models are not made.
  void (*start)(encoder::Architecture& architecture) = nullptr;
  const char* tokenizer = "";
  // What a SentencePiece model of its folders is for, where they name no tokenizer_class.
  const char* sentencepiece = "";
  // Of a family that shares its model_type with another: whether a config.json is its own. nullptr:
  // where no other claims it.
  bool (*claims)(const JsonObject& config) = nullptr;
  // The head of ...ForSequenceClassification, as the family has it and config.json varies it, and
  // its modules by the names of encoder::classification_head_shapes. nullptr: none is read.
  void (*classifier)(const JsonObject& config, encoder::ClassificationHead& head) = nullptr;
  std::vector<ModuleName> classifier_modules = {};
};

const std::vector<Family>& families();
// auto_map.AutoModel: the code of its own that a checkpoint names for its encoder,
// "somebody/code--modeling.NewModel"; "" where it names none.
std::string own_code(const JsonObject& config);
// The class of that code: "NewModel".
std::string own_class(const JsonObject& config);
// kInternal for a name that is none.
const Family& family_named(const std::string& name);

}  // namespace contrastive::io
